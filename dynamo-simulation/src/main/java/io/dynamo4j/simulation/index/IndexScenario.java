// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.search.FaultSpec;
import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.ScenarioRunner;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Engines fill and empty their caches while routers lose, repeat and mix up what they hear. Then
 * the faults end, and soon every router's index must equal the union of the caches: not a block
 * more, not one less, and without a word between routers.
 */
public final class IndexScenario implements ScenarioRunner {
  /** Virtual time within which an index must be exact once nothing goes wrong any more. */
  private static final int SETTLE_SECONDS = 120;

  /** Within which cursors catch up with losses that left no difference. */
  private static final int REST_SECONDS = 10;

  private static final int QUIET_SECONDS = 6;
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;
  private static final long GRACE_NANOS = SECOND / 2;

  /** Within which who was away when the faults ended has come back. */
  private static final long RETURN_NANOS = 4 * SECOND;

  private final IndexSeams seams;

  /** Makes the scenario of the library as it is. */
  public IndexScenario() {
    this(new IndexSeams() {});
  }

  /** Makes a scenario with something planted. */
  public IndexScenario(IndexSeams seams) {
    this.seams = seams;
  }

  @Override
  public RunOutcome run(ScenarioSpec spec) {
    Simulation simulation = Simulation.builder().seed(spec.seed()).mode(Mode.RANDOM_TIES).build();
    SortedMap<String, Long> facts = new TreeMap<>();
    try {
      return new Run(spec, simulation, facts).play();
    } catch (SimulationFailure failure) {
      String detail = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
      return RunOutcome.violated(simulation, new RunOutcome.Violation("SIMULATION", detail), facts);
    }
  }

  /** One run. */
  private final class Run {
    private final ScenarioSpec spec;
    private final Simulation simulation;
    private final SortedMap<String, Long> facts;
    private final BlockLedger ledger = new BlockLedger();
    private final List<IndexedWorker> workers = new ArrayList<>();
    private final List<IndexedRouter> routers = new ArrayList<>();
    private final IndexedWorker.Planes planes;
    private final long faultsEndNanos;

    Run(ScenarioSpec spec, Simulation simulation, SortedMap<String, Long> facts) {
      this.spec = spec;
      this.simulation = simulation;
      this.facts = facts;
      this.planes =
          new IndexedWorker.Planes(
              InMemoryEventPlane.create(simulation.environment("network")),
              InMemoryRequestPlane.create(simulation.environment("network")),
              InMemoryWorkerDirectory.create());
      this.faultsEndNanos = (long) (spec.requests() * gapNanos()) + GRACE_NANOS;
      for (int i = 0; i < spec.workers(); i++) {
        workers.add(new IndexedWorker(i, spec, simulation, planes, ledger));
      }
      for (int i = 0; i < (int) spec.setting(IndexDraw.ROUTERS, 1); i++) {
        routers.add(new IndexedRouter(i, spec, simulation, faultsEndNanos));
      }
    }

    private double gapNanos() {
      return spec.setting(IndexDraw.GAP_MILLIS, 10) * MILLI;
    }

    RunOutcome play() {
      workers.forEach(IndexedWorker::start);
      for (int i = 0; i < routers.size(); i++) {
        IndexedRouter router = routers.get(i);
        at(startNanos(i), () -> router.start(spec, planes, seams));
      }
      for (int number = 0; number < spec.requests(); number++) {
        arrive(number);
      }
      spec.faults().forEach(this::stage);
      at(faultsEndNanos, this::heal);
      simulation.runUntil(faultsEndNanos + RETURN_NANOS);
      IndexJudge judge = new IndexJudge(workers, routers, ledger);
      int seconds = 0;
      while (!judge.isSettled() && seconds++ < SETTLE_SECONDS) {
        simulation.runFor(SECOND);
      }
      simulation.runFor(REST_SECONDS * SECOND);
      judge.rest();
      simulation.runFor(QUIET_SECONDS * SECOND);
      judge.count(facts);
      return judge
          .violation()
          .map(violation -> RunOutcome.violated(simulation, violation, facts))
          .orElseGet(() -> RunOutcome.clean(simulation, facts));
    }

    private long startNanos(int router) {
      for (FaultSpec fault : spec.faults()) {
        if (fault.kind().equals(IndexFaults.LATE) && IndexFaults.concerns(fault, router)) {
          return Math.min(IndexFaults.atNanos(fault), faultsEndNanos);
        }
      }
      return 0;
    }

    private void at(long nanos, Runnable task) {
      simulation.controller().schedule(task, nanos);
    }

    /** A prompt of a few shared beginnings, a function of the seed and its number alone. */
    private void arrive(int number) {
      RandomSource random = RandomSource.seeded(spec.seed()).split("request-" + number);
      int length = 4 + random.nextInt(40);
      int prefix = random.nextInt(4);
      int shared = random.nextInt(length);
      int[] tokens = new int[length];
      for (int i = 0; i < length; i++) {
        tokens[i] = i < shared ? 100 * prefix + i : random.nextInt(1 << 20);
      }
      PreprocessedRequest request =
          PreprocessedRequest.builder("r" + number, TokenSlice.of(tokens))
              .samplingOptions(SamplingOptions.builder().seed(random.nextInt(1000)).build())
              .stopConditions(StopConditions.builder().maxTokens(1 + random.nextInt(12)).build())
              .build();
      IndexedWorker worker = workers.get(random.nextInt(workers.size()));
      int rank = random.nextInt(2);
      at((long) (number * gapNanos()), () -> worker.serve(rank, request));
    }

    private void stage(FaultSpec fault) {
      if (!fault.target().startsWith("worker")) {
        return;
      }
      int position = IndexFaults.worker(fault);
      if (position >= workers.size()) {
        return;
      }
      IndexedWorker worker = workers.get(position);
      long start = IndexFaults.atNanos(fault);
      long end = start + (long) (fault.parameter() * MILLI);
      switch (fault.kind()) {
        case IndexFaults.KILL -> {
          at(start, worker::kill);
          at(start + (start / 7) % (300 * MILLI), worker::noticeDeath);
          if (end > start) {
            at(end, worker::start);
          }
        }
        case IndexFaults.REPLACE -> {
          at(start, worker::kill);
          at(end, worker::changeId);
          at(end, worker::start);
        }
        case IndexFaults.CLEAR -> at(start, worker::clearCaches);
        case IndexFaults.SUSPEND -> {
          at(start, () -> worker.suspend(true));
          at(end, () -> worker.suspend(false));
        }
        case IndexFaults.SHRINK -> {
          at(start, () -> worker.shrink(true));
          at(end, () -> worker.shrink(false));
        }
        default -> {}
      }
    }

    /** Ends what was to last; who is dead for good stays dead, and known to be. */
    private void heal() {
      for (IndexedWorker worker : workers) {
        worker.noticeDeath();
        worker.suspend(false);
        worker.shrink(false);
      }
    }
  }
}
