// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.testkit.search.RunOutcome.Violation;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A fleet of counters with planted faults: a request is lost when a {@code crash} with strength
 * above one half hits it and a {@code drop} hits another request of the run.
 */
public class ToyScenarioRunner implements ScenarioRunner {

  @Override
  public RunOutcome run(ScenarioSpec spec) {
    Simulation simulation = Simulation.builder().seed(spec.seed()).checkpointShift(4).build();
    List<Scheduler> workers = new ArrayList<>();
    for (int i = 0; i < spec.workers(); i++) {
      workers.add(simulation.node("worker-" + i).lane("engine"));
    }
    TreeSet<String> hit = new TreeSet<>();
    for (int i = 0; i < spec.requests(); i++) {
      String request = "request:" + i;
      int number = i;
      simulation
          .controller()
          .schedule(
              () -> {
                workers.get(number % workers.size()).execute(() -> inject(spec, request, hit));
                if (number == 40) {
                  leak(spec, workers);
                }
              },
              i * 1000L);
    }
    simulation.run();
    TreeMap<String, Long> facts = new TreeMap<>();
    hit.forEach(kind -> facts.put(kind, 1L));
    return hit.contains("crash") && hit.contains("drop")
        ? RunOutcome.violated(simulation, new Violation("lost", "hit=" + hit), facts)
        : RunOutcome.clean(simulation, facts);
  }

  private static void inject(ScenarioSpec spec, String request, Set<String> hit) {
    for (FaultSpec fault : spec.faults()) {
      boolean strongEnough = !fault.kind().equals("crash") || fault.parameter() > 0.5;
      if (fault.trigger().equals(request) && strongEnough) {
        hit.add(fault.kind());
      }
    }
  }

  /** Does nothing here; the planted runners make the run depend on what it must not. */
  void leak(ScenarioSpec spec, List<Scheduler> workers) {}

  private static void wake(List<Scheduler> workers, Iterable<?> numbers) {
    for (Object number : numbers) {
      workers.get((Integer) number % workers.size()).execute(() -> {});
    }
  }

  /** Breaks ties by real time. */
  public static final class ReadsRealTime extends ToyScenarioRunner {
    @Override
    void leak(ScenarioSpec spec, List<Scheduler> workers) {
      for (int i = 0; i < 10; i++) {
        wake(workers, List.of((int) (System.nanoTime() / 7 % 1000)));
      }
    }
  }

  /** Iterates over keys whose hash is their identity. */
  public static final class IteratesIdentityHashes extends ToyScenarioRunner {
    @Override
    void leak(ScenarioSpec spec, List<Scheduler> workers) {
      Map<Object, Integer> byKey = new HashMap<>();
      for (int i = 0; i < 20; i++) {
        byKey.put(new Object(), i);
      }
      wake(workers, byKey.values());
    }
  }

  /** Iterates over a set whose order is salted per JVM. */
  public static final class IteratesSaltedSet extends ToyScenarioRunner {
    @Override
    void leak(ScenarioSpec spec, List<Scheduler> workers) {
      // Every other place of the set's table, so that wherever it is begun the order is another.
      Integer[] numbers = new Integer[100];
      Arrays.setAll(numbers, i -> 2 * i);
      wake(workers, Set.of(numbers));
    }
  }
}
