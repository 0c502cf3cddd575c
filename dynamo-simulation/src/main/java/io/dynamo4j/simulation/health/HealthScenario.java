// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.source.KvEventSource;
import io.dynamo4j.kvrouter.HealthFinding;
import io.dynamo4j.kvrouter.RankLoadReport;
import io.dynamo4j.kvrouter.RouterHealth;
import io.dynamo4j.plane.WorkerInstance;
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
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Requests run through a router whose health is asked every second. Where nothing is planted it
 * must never find a thing; what is planted it must name within a minute, with whom it concerns, and
 * nothing before.
 */
public final class HealthScenario implements ScenarioRunner {
  private static final long SECOND = 1_000_000_000L;
  private static final long RUN_NANOS = 85 * SECOND;
  private static final long NAMED_NANOS = 60 * SECOND;

  @Override
  public RunOutcome run(ScenarioSpec spec) {
    Simulation simulation = Simulation.builder().seed(spec.seed()).mode(Mode.RANDOM_TIES).build();
    SortedMap<String, Long> facts = new TreeMap<>();
    try {
      Run run = new Run(spec, simulation, facts);
      return run.play()
          .map(
              detail ->
                  RunOutcome.violated(
                      simulation, new RunOutcome.Violation("HEALTH", detail), facts))
          .orElseGet(() -> RunOutcome.clean(simulation, facts));
    } catch (SimulationFailure failure) {
      String detail = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
      return RunOutcome.violated(simulation, new RunOutcome.Violation("SIMULATION", detail), facts);
    }
  }

  /** One run. */
  private static final class Run {
    private final ScenarioSpec spec;
    private final Simulation simulation;
    private final SortedMap<String, Long> facts;
    private final Plan plan;
    private final WatchedWorker.Planes planes;
    private final List<WatchedWorker> workers = new ArrayList<>();
    private final List<WatchedRouter> routers = new ArrayList<>();
    private final WatchedTraffic traffic;

    Run(ScenarioSpec spec, Simulation simulation, SortedMap<String, Long> facts) {
      this.spec = spec;
      this.simulation = simulation;
      this.facts = facts;
      this.plan = new Plan(spec, simulation::nowNanos);
      this.planes =
          new WatchedWorker.Planes(
              InMemoryEventPlane.create(simulation.environment("network")),
              InMemoryRequestPlane.create(simulation.environment("network")),
              InMemoryWorkerDirectory.create());
      for (int i = 0; i < spec.workers(); i++) {
        workers.add(new WatchedWorker(i, spec, plan, simulation, planes));
      }
      for (int i = 0; i <= (int) spec.setting(HealthDraw.PEER, 0); i++) {
        routers.add(new WatchedRouter("router-" + i, spec, plan, simulation, planes));
      }
      this.traffic = new WatchedTraffic(spec, simulation, workers, routers);
    }

    Optional<String> play() {
      workers.forEach(WatchedWorker::start);
      spec.faults().forEach(this::stage);
      traffic.start(RUN_NANOS);
      String problem = null;
      Long namedNanos = null;
      while (problem == null && simulation.nowNanos() < RUN_NANOS) {
        simulation.runFor(SECOND);
        RouterHealth health = routers.get(0).router().health();
        boolean isNamed = isNamed(health);
        if (isNamed && namedNanos == null) {
          namedNanos = simulation.nowNanos();
        }
        problem = problem(health, namedNanos);
        health.findings().forEach(found -> facts.merge("found " + found.kind(), 1L, Long::sum));
        if (namedNanos != null && plan.plant() != null) {
          break;
        }
      }
      count(namedNanos);
      return Optional.ofNullable(problem);
    }

    private void count(@Nullable Long namedNanos) {
      facts.merge("runs", 1L, Long::sum);
      facts.merge("requests", traffic.completed(), Long::sum);
      if (namedNanos != null) {
        facts.merge("seconds to name", (namedNanos - plan.fromNanos()) / SECOND, Long::sum);
      }
    }

    private @Nullable String problem(RouterHealth health, @Nullable Long namedNanos) {
      long now = simulation.nowNanos();
      HealthPlant plant = plan.plant();
      if (plant == null || now < plan.fromNanos()) {
        return health.findings().isEmpty() ? null : "found though nothing is wrong: " + health;
      }
      if (health.findings().stream().anyMatch(found -> found.kind() != plant.kind())) {
        return "named something else: plant=" + plant + ", " + health;
      }
      return namedNanos == null && now - plan.fromNanos() > NAMED_NANOS
          ? "not named within a minute: plant=" + plant + ", " + health
          : null;
    }

    private boolean isNamed(RouterHealth health) {
      HealthPlant plant = plan.plant();
      return plant != null
          && health.findings(plant.kind()).stream().anyMatch(found -> concerns(plant, found));
    }

    private boolean concerns(HealthPlant plant, HealthFinding found) {
      WorkerWithDpRank worker = found.worker().orElse(null);
      boolean isRight =
          plant.subject() == HealthPlant.Subject.FLEET
              || (worker != null && worker.workerId() == WatchedWorker.workerId(plan.position()));
      return isRight && !found.evidence().isEmpty();
    }

    private void stage(FaultSpec fault) {
      WatchedWorker worker = workers.get(Plan.position(fault));
      long start = Plan.atNanos(fault);
      if (fault.kind().equals(HealthDraw.RESTART)) {
        at(start, worker::stop);
        at(start + (long) (fault.parameter() * 1_000_000), worker::start);
      } else if (plan.plant() == HealthPlant.DEAD_PEER) {
        at(start, () -> simulation.node("router-1").crash());
      } else if (plan.plant() == HealthPlant.ALL_BUSY) {
        at(start, this::everybodyIsFull);
      } else if (plan.plant() == HealthPlant.DURABLE_WORKER) {
        at(start, this::workerTurnsDurable);
      } else if (plan.plant() == HealthPlant.IMPOSTOR) {
        at(start, this::impostorAppears);
      }
    }

    private void at(long nanos, Runnable task) {
      simulation.controller().schedule(task, nanos);
    }

    private void everybodyIsFull() {
      for (WorkerInstance worker : planes.directory().instances()) {
        for (int i = 0; i < worker.dpSize(); i++) {
          routers
              .get(0)
              .monitor()
              .report(
                  worker.rank(i),
                  new RankLoadReport(
                      RankLoadReport.UNKNOWN, RankLoadReport.UNKNOWN, worker.totalKvBlocks()));
        }
      }
      at(10 * SECOND, this::everybodyIsFull);
    }

    private void workerTurnsDurable() {
      WorkerWithDpRank rank = new WorkerWithDpRank(WatchedWorker.workerId(plan.position()), 1);
      routers.forEach(router -> router.durable().written(rank));
    }

    private void impostorAppears() {
      WorkerWithDpRank rank = new WorkerWithDpRank(WatchedWorker.workerId(plan.position()), 0);
      KvEventSource impostor =
          KvEventSource.builder(rank, 7)
              .eventPlane(planes.events(), WatchedWorker.SCOPE)
              .environment(simulation.environment("impostor"))
              .start();
      publish(impostor, 1);
    }

    private void publish(KvEventSource impostor, long hash) {
      impostor.publish(
          StorageTier.DEVICE,
          List.of(KvCacheEventData.Stored.atRoot(new long[] {hash}, new long[] {hash})));
      at(SECOND, () -> publish(impostor, hash + 1));
    }
  }
}
