// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.engine.MockEngine;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.wire.RouterEventCodec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One place in the fleet where a worker runs: its node, and life after life the engine on it.
 *
 * <p>A life begins with an empty cache, registers itself, answers on the request plane and
 * publishes its events; a kill ends all of that at once and says nothing to anybody.
 */
public final class SimulatedWorker {
  private final int position;
  private final SimulatedNode node;
  private final FleetPlanes planes;
  private final MockEngineConfig engineConfig;
  private final EngineListener listener;
  private long incarnation;
  private @Nullable Life life;

  SimulatedWorker(
      int position,
      Simulation simulation,
      FleetPlanes planes,
      MockEngineConfig engineConfig,
      EngineListener listener) {
    this.position = position;
    this.node = simulation.node("worker-" + position);
    this.planes = planes;
    this.engineConfig = engineConfig;
    this.listener = listener;
  }

  /** Returns the worker id of a position in the fleet. */
  public static long workerId(int position) {
    return position + 1L;
  }

  /** Returns the position in the fleet of a worker id. */
  public static int position(WorkerWithDpRank worker) {
    return (int) worker.workerId() - 1;
  }

  public int position() {
    return position;
  }

  public boolean isAlive() {
    return life != null;
  }

  /** Returns streams open on the present life, 0 while dead. */
  public int openStreams() {
    return life == null ? 0 : life.endpoint.openStreamCount();
  }

  /** Returns the present life's engine, or null while dead. */
  public @Nullable MockEngine engine() {
    return life == null ? null : life.engine;
  }

  /** Returns the number of the present or last life, from 1. */
  public long lifeNumber() {
    return incarnation;
  }

  /** Freezes the worker, its connections open, until {@code untilNanos} of virtual time. */
  public void stallUntil(long untilNanos) {
    node.stallUntil(untilNanos);
  }

  /** Begins a life. */
  public void start() {
    if (life == null) {
      life = new Life(++incarnation);
    }
  }

  /** Ends the present life as the end of a process does. */
  public void kill() {
    Life dead = life;
    if (dead == null) {
      return;
    }
    life = null;
    node.crash();
    dead.endpoint.abort();
    dead.publisher.close();
    planes.directory().unregister(workerId(position));
  }

  /** What dies together. */
  private final class Life {
    private final MockEngine engine;
    private final EventPublisher publisher;
    private final ServedEndpoint endpoint;

    Life(long number) {
      Scheduler lane = node.lane("engine");
      WorkerInstance instance =
          WorkerInstance.builder(
                  workerId(position),
                  InMemoryRequestPlane.address("worker-" + position + "/" + number))
              .incarnation(number)
              .kvBlockSize(engineConfig.blockSize())
              .totalKvBlocks(engineConfig.capacityBlocks())
              .maxBatchedTokens(engineConfig.maxBatchedTokens())
              .build();
      publisher =
          planes.events().publisher(FleetPlanes.SCOPE, FleetPlanes.KV_EVENTS, publisherId(number));
      engine =
          MockEngine.builder()
              .lane(lane)
              .config(engineConfig)
              .stepStarter(node::atEndOfInstant)
              .eventSink(this::publish)
              .listener(listener)
              .build();
      endpoint = planes.serving().serve(instance, lane, engine);
      planes.directory().register(instance);
    }

    private long publisherId(long number) {
      return workerId(position) << 32 | number;
    }

    private void publish(List<KvCacheEvent> batch) {
      List<RouterEvent> events = new ArrayList<>(batch.size());
      for (KvCacheEvent event : batch) {
        events.add(RouterEvent.of(workerId(position), StorageTier.DEVICE, event));
      }
      publisher.publish(RouterEventCodec.encode(events));
    }
  }
}
