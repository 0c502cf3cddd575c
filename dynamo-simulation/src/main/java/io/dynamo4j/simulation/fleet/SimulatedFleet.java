// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.event.MigrationListener;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import io.dynamo4j.testkit.fault.EventFault;
import io.dynamo4j.testkit.fault.FaultyEventPlane;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The library's own classes, from migrator to index, between simulated clients and simulated
 * workers.
 */
public final class SimulatedFleet {
  private final FleetConfig config;
  private final FleetSeams seams;
  private final FleetPlanes planes;
  private final List<SimulatedGateway> gateways = new ArrayList<>();
  private final List<SimulatedWorker> workers = new ArrayList<>();
  private int answers;

  /**
   * Wires a fleet and starts every worker.
   *
   * @param engineListener what hears the engine at each position
   * @param migrationListener hears every gateway's migrator
   */
  public SimulatedFleet(
      Simulation simulation,
      FleetConfig config,
      FleetSeams seams,
      IntFunction<EngineListener> engineListener,
      MigrationListener migrationListener) {
    this.config = config;
    this.seams = seams;
    InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> serving =
        InMemoryRequestPlane.create(simulation.environment("network"));
    this.planes =
        new FleetPlanes(
            serving,
            seams.requests(serving),
            seams.events(
                late(
                    InMemoryEventPlane.create(simulation.environment("network")),
                    config.conditions())),
            InMemoryWorkerDirectory.create());
    for (int position = 0; position < config.workers(); position++) {
      workers.add(
          new SimulatedWorker(
              position,
              simulation,
              planes,
              engineConfig(position),
              engineListener.apply(position)));
    }
    for (int number = 1; number <= config.conditions().routers(); number++) {
      String node = number == 1 ? "gateway" : "gateway-" + number;
      gateways.add(
          new SimulatedGateway(
              seams.gateway(simulation.environment(node)),
              config,
              seams,
              planes.gateway(),
              migrationListener));
    }
    workers.forEach(SimulatedWorker::start);
  }

  private static EventPlane late(EventPlane plane, FleetConditions conditions) {
    EventFault cache = EventFault.delayed(conditions.eventDelayNanos());
    EventFault bookings = EventFault.delayed(Math.max(0, conditions.syncDelayNanos()));
    return cache.delayNanos() == 0 && bookings.delayNanos() == 0
        ? plane
        : FaultyEventPlane.over(
            plane, envelope -> envelope.topic().equals(FleetPlanes.KV_EVENTS) ? cache : bookings);
  }

  private MockEngineConfig engineConfig(int position) {
    return MockEngineConfig.builder()
        .blockSize(config.blockSize())
        .capacityBlocks(config.blocks())
        .speedFactor(config.conditions().speed(position, config.workers()))
        .build();
  }

  /** Returns the answer to one request as a client of the gateway whose turn it is gets it. */
  public ResponseStream<LLMEngineOutput> answer(PreprocessedRequest request) {
    SimulatedGateway gateway = gateways.get(answers++ % gateways.size());
    return seams.answer(request, gateway.migrator().migrate(request));
  }

  /** Ends what would go on without requests. */
  void close() {
    gateways.forEach(SimulatedGateway::leave);
  }

  /** Returns the migrator of the first gateway. */
  public Migrator<PreprocessedRequest, LLMEngineOutput> migrator() {
    return gateways.get(0).migrator();
  }

  /** Returns every place in the fleet, alive or dead. */
  public List<SimulatedWorker> workers() {
    return Collections.unmodifiableList(workers);
  }

  /** Returns the index of the first gateway, or null where the policy needs none. */
  public @Nullable KvIndexer indexer() {
    return gateways.get(0).indexer();
  }

  /** Returns the router of the first gateway, or null where the policy needs none. */
  public @Nullable KvRouter router() {
    return gateways.get(0).router();
  }

  /** Returns the memory of failures of the first gateway. */
  public WorkerHealth health() {
    return gateways.get(0).health();
  }
}
