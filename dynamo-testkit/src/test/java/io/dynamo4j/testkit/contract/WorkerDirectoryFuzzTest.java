// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Random registrations and watches in simulation against a sorted map and a list of changes. */
class WorkerDirectoryFuzzTest {
  private static final int SEEDS = 300;

  @Test
  void shouldAgreeWithPlainMapAndChangeList() {
    for (long seed = 0; seed < SEEDS; seed++) {
      new Run(seed, false).play();
    }
  }

  @Test
  void shouldCatchForgottenRemoval() {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < 20; seed++) {
                new Run(seed, true).play();
              }
            })
        .isInstanceOfAny(AssertionError.class, SimulationFailure.class);
  }

  private static final class Run {
    private final long seed;
    private final boolean forgetful;
    private final Simulation simulation;
    private final RandomSource random;
    private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    // Keyed so that text order is unsigned order.
    private final TreeMap<String, String> registered = new TreeMap<>();
    private final List<Watch> watches = new ArrayList<>();

    Run(long seed, boolean forgetful) {
      this.seed = seed;
      this.forgetful = forgetful;
      this.simulation = Simulation.builder().seed(seed).maxExecuteJitterNanos(50_000).build();
      this.random = simulation.random("fuzz");
    }

    void play() {
      for (int i = 0; i < 80; i++) {
        int step = i;
        Runnable action = random.nextInt(10) == 0 ? this::watch : () -> change(step);
        simulation.controller().schedule(action, random.nextInt(30_000_000));
      }
      simulation.run();
      assertThat(directory.instances())
          .extracting(Run::name)
          .as("seed=%s", seed)
          .containsExactlyElementsOf(registered.values());
      for (Watch watch : watches) {
        assertThat(watch.reports).as("seed=%s", seed).isEqualTo(watch.expected);
      }
    }

    private static String name(WorkerInstance instance) {
      return Long.toUnsignedString(instance.workerId()) + "#" + instance.incarnation();
    }

    private static String key(long workerId) {
      return String.format("%016x", workerId);
    }

    private void change(int step) {
      long workerId = random.nextInt(6) - 3L;
      if (random.nextInt(3) > 0) {
        WorkerInstance instance =
            WorkerInstance.builder(workerId, InMemoryRequestPlane.address("w"))
                .incarnation(step)
                .build();
        registered.put(key(workerId), name(instance));
        expect("+" + name(instance));
        directory.register(instance);
      } else {
        String gone = registered.remove(key(workerId));
        if (gone != null) {
          expect("-" + gone);
        }
        assertThat(directory.unregister(workerId)).isEqualTo(gone != null);
      }
    }

    private void expect(String report) {
      watches.stream().filter(watch -> watch.open).forEach(watch -> watch.expected.add(report));
    }

    private void watch() {
      Watch watch = new Watch();
      watches.add(watch);
      if (random.nextInt(3) == 0) {
        simulation.controller().schedule(watch::close, random.nextInt(10_000_000));
      }
    }

    private final class Watch implements WorkerDirectory.Listener {
      final List<String> expected = new ArrayList<>();
      final List<String> reports = new ArrayList<>();
      private final Subscription handle;
      boolean open = true;

      Watch() {
        for (Map.Entry<String, String> entry : registered.entrySet()) {
          expected.add("+" + entry.getValue());
        }
        Scheduler lane = simulation.node("reader").lane("watch-" + watches.size());
        this.handle = directory.watch(lane, this);
      }

      @Override
      public void added(WorkerInstance instance) {
        reports.add("+" + name(instance));
      }

      @Override
      public void removed(WorkerInstance instance) {
        if (!forgetful) {
          reports.add("-" + name(instance));
        }
      }

      void close() {
        handle.close();
        open = false;
        // What was under way when it closed is lost, and nothing comes after it.
        assertThat(expected.subList(0, reports.size())).isEqualTo(reports);
        expected.subList(reports.size(), expected.size()).clear();
      }
    }
  }
}
