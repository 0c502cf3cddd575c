// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.GatewayPlanes;
import io.dynamo4j.simulation.fleet.LiveRun;
import io.dynamo4j.simulation.trace.TraceRow;
import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;

/**
 * Serves the trace in real time, accelerated: the gateway in this process, the workers in another,
 * real planes between them.
 */
final class LiveDemo implements AutoCloseable {
  private static final long START_SECONDS = 120;
  private static final long PATIENCE_SECONDS = 300;
  private static final double PATIENCE_FACTOR = 20;

  /** A prompt of 100,000 tokens is a message of half a megabyte. */
  private static final String SERVER_CONFIG = "max_payload: 8388608\n";

  private static final int WARM_UP_REQUESTS = 300;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final double timeScale;
  private final Environment real;
  private final LivePlanes planes;
  private final EngineProcess engines;

  private LiveDemo(DemoPlane plane, double timeScale, FleetConfig fleet) throws IOException {
    this.timeScale = timeScale;
    try {
      String server = plane == DemoPlane.NATS ? startServer() : null;
      real = opened(RealEnvironment.create()).environment();
      InMemoryEventChannels channels = InMemoryEventChannels.create();
      planes = opened(LivePlanes.open(plane, server, real, channels, timeScale));
      engines =
          opened(
              EngineProcess.start(
                  EngineSettings.of(fleet, plane, server, timeScale),
                  real.lanes().lane("engines"),
                  channels));
      await(engines.ready(), START_SECONDS, "workers do not register");
    } catch (IOException | RuntimeException failed) {
      close();
      throw failed;
    }
  }

  /**
   * Starts the workers of a fleet and what the plane needs beside.
   *
   * @throws DemoInputException if the plane needs a program that is not installed
   */
  static LiveDemo open(DemoPlane plane, double timeScale, FleetConfig fleet) throws IOException {
    return new LiveDemo(plane, timeScale, fleet);
  }

  private String startServer() throws IOException {
    if (!NatsServerProcess.isInstalled()) {
      throw new DemoInputException(
          "install nats-server (Debian, Ubuntu: apt-get install nats-server)");
    }
    Path config = Files.createTempFile("demo-nats-", ".conf");
    opened(() -> Files.deleteIfExists(config));
    Files.writeString(config, SERVER_CONFIG);
    return opened(NatsServerProcess.start("-c", config.toString())).url();
  }

  private <T extends AutoCloseable> T opened(T resource) {
    open.push(resource);
    return resource;
  }

  /** Serves some requests, so that both processes run compiled code when it counts. */
  void warmUp(FleetConfig fleet, DemoTrace trace) {
    List<TraceRow> rows = trace.rows();
    serve(
        fleet.toBuilder().killEvery(0).build(),
        rows.subList(0, Math.min(WARM_UP_REQUESTS, rows.size())),
        arrived -> {});
    restart();
  }

  /** Serves what was served in virtual time, and sets the outcome beside that one. */
  PolicyOutcome serve(PolicyOutcome simulated, DemoTrace trace, ProgressBar progress) {
    FleetConfig fleet = simulated.result().config();
    String name = fleet.policy().optionName();
    long start = System.nanoTime();
    FleetResult result =
        serve(fleet, trace.rows(), arrived -> progress.show(name, arrived, trace.rows().size()));
    long nanos = System.nanoTime() - start;
    restart();
    return new PolicyOutcome(
        fleet.policy(), result, nanos, OptionalDouble.of(simulated.result().hitRate()));
  }

  private void restart() {
    await(engines.restart(), START_SECONDS, "workers do not register again");
  }

  private FleetResult serve(FleetConfig fleet, List<TraceRow> rows, IntConsumer progress) {
    Environment faster = FasterTime.over(real, timeScale);
    Scheduler controller = faster.lanes().lane("controller");
    GatewayPlanes.Recovery recovery =
        new GatewayPlanes.Recovery(planes.queries(), engines::queryTarget, real);
    GatewayPlanes gateway =
        new GatewayPlanes(planes.requests(), planes.events(), engines.directory(), recovery);
    try (LiveRun run = new LiveRun(fleet, rows, progress, faster, controller, gateway, engines)) {
      var unused =
          engines.ended().thenRun(() -> run.fail(new IllegalStateException("workers are gone")));
      controller.execute(
          () -> {
            engines.admissions(run::admitted);
            run.begin();
          });
      return await(
          run.result().toCompletableFuture(), longestSeconds(rows, fleet), "streams never ended");
    }
  }

  private long longestSeconds(List<TraceRow> rows, FleetConfig fleet) {
    double lastMillis = rows.get(rows.size() - 1).timestampMillis();
    double seconds = lastMillis / 1e3 / fleet.arrivalSpeedup() / timeScale;
    return PATIENCE_SECONDS + (long) (PATIENCE_FACTOR * seconds);
  }

  private static <T> T await(CompletableFuture<T> stage, long seconds, String failure) {
    try {
      return stage.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new IllegalStateException(failure + ": reason=" + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Ends workers, planes and server, in this order; waits until they are gone. */
  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("cannot be ended", e);
      }
    }
  }
}
