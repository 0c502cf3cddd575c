// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryConfig;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.fault.EventFault;
import io.dynamo4j.testkit.fault.EventFaultPlan;
import io.dynamo4j.testkit.fault.FaultyEventPlane;
import io.dynamo4j.testkit.fault.FaultyRequestPlane;
import io.dynamo4j.testkit.fault.RandomEventFaults;
import io.dynamo4j.testkit.fault.RandomStreamFaults;
import io.dynamo4j.testkit.fault.StreamFault;
import io.dynamo4j.testkit.search.FaultSpec;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One router's index and feed, with what befalls its own connections. */
final class IndexedRouter {
  private final int number;
  private final Simulation simulation;
  private final long faultsEndNanos;
  private final List<FaultSpec> partitions = new ArrayList<>();
  private final RandomEventFaults eventFaults;
  private final RandomStreamFaults streamFaults;
  private @Nullable KvIndexer indexer;
  private @Nullable KvEventFeed feed;

  IndexedRouter(int number, ScenarioSpec spec, Simulation simulation, long faultsEndNanos) {
    this.number = number;
    this.simulation = simulation;
    this.faultsEndNanos = faultsEndNanos;
    RandomSource random = simulation.random("router-" + number);
    RandomEventFaults.Builder events =
        RandomEventFaults.builder(random.split("events")).maxDelayNanos(60_000_000);
    RandomStreamFaults.Builder streams =
        RandomStreamFaults.builder(random.split("streams")).maxItems(2);
    for (FaultSpec fault : spec.faults()) {
      if (IndexFaults.concerns(fault, number)) {
        double value = fault.parameter();
        switch (fault.kind()) {
          case IndexFaults.LOSE -> events.loss(value);
          case IndexFaults.REPEAT -> events.duplication(value);
          case IndexFaults.DELAY -> events.delay(value);
          case IndexFaults.OVERTAKE -> events.reorder(value);
          case IndexFaults.LOSE_LAST -> events.lossBeforeIdle(value);
          case IndexFaults.REFUSE -> streams.refusal(value);
          case IndexFaults.BREAK -> streams.failure(value);
          case IndexFaults.EMPTY -> streams.cleanEnd(value);
          case IndexFaults.LAG -> {
            long nanos = (long) (value * 1_000_000);
            streams.latency(nanos, nanos / 2);
          }
          case IndexFaults.PART -> partitions.add(fault);
          default -> {}
        }
      }
    }
    this.eventFaults = events.build();
    this.streamFaults = streams.build();
  }

  /** Starts: subscribes, and asks for what was before. */
  void start(ScenarioSpec spec, IndexedWorker.Planes planes, IndexSeams seams) {
    Environment environment = simulation.environment("router-" + number);
    KvIndexer index =
        KvIndexer.builder()
            .environment(environment)
            .blockSize(IndexedWorker.BLOCK_SIZE)
            .maxPendingUpdates((int) spec.setting(IndexDraw.PENDING, 1 << 16))
            .build();
    EventPlane events = FaultyEventPlane.over(planes.events(), new Events());
    indexer = index;
    feed =
        KvEventFeed.builder()
            .eventPlane(seams.events(new SilentEventPlane(events)), IndexedWorker.SCOPE)
            .directory(planes.directory())
            .indexer(seams.indexer(index))
            .environment(environment)
            .recovery(
                seams.recovery(
                    FaultyRequestPlane.over(
                        planes.recovery(),
                        this::streamFault,
                        simulation.random("recovery-" + number))),
                RecoveryTargets.besideWorker())
            .recoveryConfig(seams.config(config(spec)))
            .connect();
  }

  KvIndexer indexer() {
    if (indexer == null) {
      throw new IllegalStateException("router has not started: router=" + number);
    }
    return indexer;
  }

  KvEventFeed feed() {
    if (feed == null) {
      throw new IllegalStateException("router has not started: router=" + number);
    }
    return feed;
  }

  boolean hasStarted() {
    return feed != null;
  }

  /** In most runs nothing is proved: a proof would put right what recovery got wrong. */
  private static RecoveryConfig config(ScenarioSpec spec) {
    long proofMillis = (long) spec.setting(IndexDraw.PROOF_MILLIS, 0);
    return RecoveryConfig.builder()
        .maxAttempts(4)
        .firstBackoff(Duration.ofMillis(50))
        .attemptTimeout(Duration.ofMillis(700))
        .retryInterval(Duration.ofSeconds(3))
        .checkInterval(Duration.ofSeconds(4))
        .maxConcurrentQueries(3)
        .maxHeldEvents(24)
        .proofInterval(proofMillis == 0 ? Duration.ofDays(1) : Duration.ofMillis(proofMillis))
        .build();
  }

  private boolean hasFaults() {
    return simulation.nowNanos() < faultsEndNanos;
  }

  private boolean isParted(int worker) {
    long now = simulation.nowNanos();
    for (FaultSpec fault : partitions) {
      long start = IndexFaults.atNanos(fault);
      if (IndexFaults.partedWorker(fault) == worker
          && now >= start
          && now < start + (long) (fault.parameter() * 1_000_000)) {
        return true;
      }
    }
    return false;
  }

  private StreamFault streamFault(WorkerInstance target, Attempt attempt) {
    if (!hasFaults()) {
      return StreamFault.none();
    }
    return isParted(IndexedWorker.position(target.workerId()))
        ? StreamFault.refused(ErrorType.CONNECTION_TIMEOUT)
        : streamFaults.faultOf(target, attempt);
  }

  private final class Events implements EventFaultPlan {

    @Override
    public EventFault faultOf(EventEnvelope envelope) {
      if (!hasFaults()) {
        return EventFault.none();
      }
      return isParted(IndexedWorker.position(envelope.publisherId() >>> 32))
          ? EventFault.lost()
          : eventFaults.faultOf(envelope);
    }

    @Override
    public boolean isLostBeforeIdle(EventEnvelope envelope) {
      return hasFaults() && eventFaults.isLostBeforeIdle(envelope);
    }
  }
}
