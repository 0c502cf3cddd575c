// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.source.KvEventSource;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.simulation.fleet.GatewayPlanes;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.engine.MockEngine;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One worker over real planes: an engine, its endpoint, its events. A kill ends them as the end of
 * a process does; what follows is another life with an empty cache.
 *
 * <p><b>Lanes.</b> Methods run on the lane given.
 */
final class EngineWorker {
  private final int position;
  private final EngineSettings settings;
  private final Environment environment;
  private final LivePlanes planes;
  private final Scheduler lane;
  private final Consumer<String> words;
  private long lives;
  private @Nullable Life life;

  EngineWorker(
      int position,
      EngineSettings settings,
      Environment environment,
      LivePlanes planes,
      Scheduler lane,
      Consumer<String> words) {
    this.position = position;
    this.settings = settings;
    this.environment = environment;
    this.planes = planes;
    this.lane = lane;
    this.words = words;
  }

  int position() {
    return position;
  }

  private long workerId() {
    return position + 1L;
  }

  int openStreams() {
    return life == null ? 0 : life.endpoint.openStreamCount();
  }

  void start() {
    if (life == null) {
      life = new Life(++lives);
    }
  }

  void kill() {
    Life dead = life;
    if (dead != null) {
      life = null;
      words.accept("gone " + workerId());
      dead.engine.crash();
      dead.endpoint.abort();
      dead.source.close();
    }
  }

  /** What dies together. */
  private final class Life {
    private final MockEngine engine;
    private final KvEventSource source;
    private final ServedEndpoint endpoint;

    Life(long number) {
      long id = workerId() << 32 | number;
      Address address = planes.requestAddress(id);
      Address queries = planes.queryAddress(id);
      WorkerWithDpRank rank = new WorkerWithDpRank(workerId(), 0);
      source =
          KvEventSource.builder(rank, id)
              .eventPlane(planes.events(), GatewayPlanes.SCOPE)
              .environment(environment)
              .serveRecovery(planes.queries(), WorkerInstance.builder(workerId(), queries).build())
              .start();
      engine = engine();
      endpoint =
          planes
              .requests()
              .serve(
                  WorkerInstance.builder(workerId(), address).incarnation(number).build(), engine);
      planes.whenServed(lane, () -> announce(number, address, queries));
    }

    private MockEngine engine() {
      PunctualLane steps = new PunctualLane(environment.lanes().lane("engine"));
      return MockEngine.builder()
          .lane(steps)
          .config(
              MockEngineConfig.builder()
                  .blockSize(settings.blockSize())
                  .capacityBlocks(settings.blocks())
                  .speedFactor(settings.timeScale())
                  .build())
          .stepStarter(step -> steps.schedule(step, 0))
          .eventSink(source::publish)
          .listener(new Admissions())
          .build();
    }

    private void announce(long number, Address address, Address queries) {
      if (life == this) {
        words.accept(
            String.join(
                " ",
                "worker",
                Long.toString(workerId()),
                Long.toString(number),
                address.transport(),
                address.value(),
                queries.transport(),
                queries.value()));
      }
    }
  }

  /** Tells what engines find cached. */
  private final class Admissions implements EngineListener {
    @Override
    public void admitted(String requestId, int cachedTokens, int promptTokens, long nanos) {
      words.accept("admitted " + requestId + " " + cachedTokens);
    }
  }
}
