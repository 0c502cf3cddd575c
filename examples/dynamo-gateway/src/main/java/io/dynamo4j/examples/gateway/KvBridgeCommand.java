// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.gateway;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.examples.engineevents.IndexedEngine;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.durable.DurableReset;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.PlaneSelection;
import io.dynamo4j.transport.nats.DurableStreamConfig;
import io.dynamo4j.transport.nats.NatsDurableLog;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsSnapshotStore;
import io.dynamo4j.transport.nats.NatsTransport;
import io.dynamo4j.transport.zmq.ZmqEngineEventSource;
import io.dynamo4j.transport.zmq.ZmqTransport;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bin/kv-bridge}: writes into the durable stream of a component, reads or empties it. */
@Command(
    name = "kv-bridge",
    description =
        "Writes KV events into the durable stream of a component, on the server that NATS_SERVER"
            + " names.",
    synopsisSubcommandLabel = "COMMAND")
public final class KvBridgeCommand {
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_INPUT = 2;
  private static final long CLOSE_SECONDS = 20;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<String, String> variables;
  private final PrintStream out;
  private final PrintStream err;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.",
      scope = CommandLine.ScopeType.INHERIT)
  @SuppressWarnings("UnusedVariable") // picocli sets it
  private boolean help;

  private KvBridgeCommand(Map<String, String> variables, PrintStream out, PrintStream err) {
    this.variables = variables;
    this.out = out;
    this.err = err;
  }

  /** Runs until it is told to end, or prints what was asked for. */
  public static void main(String[] args) {
    System.exit(run(System.getenv(), System.out, System.err, args));
  }

  /**
   * Runs the command and returns its exit code: 1 for a failure or a refused reset, 2 for bad
   * input.
   */
  public static int run(
      Map<String, String> variables, PrintStream out, PrintStream err, String... args) {
    KvBridgeCommand bridge = new KvBridgeCommand(variables, out, err);
    CommandLine line = new CommandLine(bridge);
    line.setOut(new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true));
    line.setParameterExceptionHandler((failure, unmatched) -> refuse(err, failure));
    line.setExecutionExceptionHandler((failure, command, result) -> fail(err, failure));
    try {
      return line.execute(args);
    } finally {
      bridge.closed.countDown();
    }
  }

  private static int fail(PrintStream err, Exception failure) {
    Throwable cause = failure instanceof ExecutionException ? failure.getCause() : null;
    refuse(err, cause == null ? failure : cause);
    return failure instanceof IllegalArgumentException ? EXIT_INPUT : EXIT_FAILED;
  }

  private static int refuse(PrintStream err, Throwable failure) {
    String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    err.println("bin/kv-bridge: " + reason.lines().findFirst().orElse("bad input"));
    return EXIT_INPUT;
  }

  @Command(
      description =
          "Goes on writing the events of a Dynamo fleet (DYN_FILE_KV, DYN_EVENT_PLANE name it).")
  int fleet(
      @Parameters(paramLabel = "NAMESPACE") String namespace,
      @Parameters(paramLabel = "COMPONENT") String component,
      @Parameters(paramLabel = "ENDPOINT") String endpoint,
      @Parameters(paramLabel = "BLOCK_SIZE") int blockSize)
      throws InterruptedException {
    EventScope.Endpoint scope = new EventScope.Endpoint(namespace, component, endpoint);
    try (RealEnvironment threads = RealEnvironment.create();
        KvBridge bridge =
            KvBridge.open(threads.environment(), variables, namespace, component, blockSize);
        FileDiscovery discovery =
            FileDiscovery.builder(threads.environment(), FileDiscovery.root(variables))
                .namespace(namespace)
                .component(component)
                .endpoint(endpoint)
                .build();
        Planes planes =
            new Planes(
                PlaneSelection.fromEnvironment(variables),
                variables,
                threads.environment(),
                discovery.eventChannels());
        KvEventFeed feed =
            KvEventFeed.builder()
                .eventPlane(planes.events(), scope)
                .directory(discovery.workers())
                .indexer(bridge.index())
                .environment(threads.environment())
                .recovery(planes.queries(), discovery::recoveryTarget)
                .connect()) {
      err.println("bridging " + scope + ", sources so far: " + feed.sources().size());
      goOn();
    }
    return 0;
  }

  @Command(description = "Goes on writing the events of one engine.")
  int engine(
      @Parameters(paramLabel = "NAMESPACE") String namespace,
      @Parameters(paramLabel = "COMPONENT") String component,
      @Parameters(paramLabel = "WORKER", converter = WorkerId.class) long worker,
      @Parameters(paramLabel = "BLOCK_SIZE") int blockSize,
      @Parameters(paramLabel = "HOST") String host,
      @Parameters(paramLabel = "CONFIG", description = "as the engine's --kv-events-config")
          String config)
      throws InterruptedException {
    try (RealEnvironment threads = RealEnvironment.create();
        KvBridge bridge =
            KvBridge.open(threads.environment(), variables, namespace, component, blockSize);
        ZmqTransport zmq = ZmqTransport.create(threads.environment())) {
      ZmqEngineEventSource source =
          ZmqEngineEventSource.fromKvEventsConfig(config, host)
              .open(
                  zmq,
                  threads.environment().lanes().lane("engine"),
                  IndexedEngine.of(worker, bridge.index()));
      err.println("bridging an engine: " + source.status());
      goOn();
    }
    return 0;
  }

  @Command(description = "Prints what a router that starts now would know.")
  int index(
      @Parameters(paramLabel = "NAMESPACE") String namespace,
      @Parameters(paramLabel = "COMPONENT") String component,
      @Parameters(paramLabel = "BLOCK_SIZE") int blockSize)
      throws Exception {
    try (RealEnvironment threads = RealEnvironment.create();
        DurableIndex index =
            DurableIndex.open(threads.environment(), variables, namespace, component, blockSize)) {
      index.caughtUp().toCompletableFuture().get();
      out.println(index.index().status().blocks() + " blocks, " + index.status());
    }
    return 0;
  }

  @Command(description = "Forgets everything; refused while routers live, unless forced.")
  int reset(
      @Parameters(paramLabel = "NAMESPACE") String namespace,
      @Parameters(paramLabel = "COMPONENT") String component,
      @Option(names = "--force", description = "also while routers live; they rebuild")
          boolean force)
      throws Exception {
    DurableStreamConfig stream =
        DurableStreamConfig.builder(namespace, component).fromEnvironment(variables).build();
    try (RealEnvironment threads = RealEnvironment.create()) {
      Environment environment = threads.environment();
      try (NatsTransport nats =
              NatsTransport.create(environment, NatsOptions.fromEnvironment(variables));
          NatsDurableLog log = NatsDurableLog.open(nats, stream);
          NatsSnapshotStore snapshots = NatsSnapshotStore.open(nats, stream)) {
        var outcome =
            DurableReset.reset(log, snapshots, environment, force).toCompletableFuture().get();
        out.println(outcome);
        return outcome.isDone() ? 0 : EXIT_FAILED;
      }
    }
  }

  /** Returns when the process is told to end, which then waits for what is open to close. */
  private void goOn() throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Thread atEnd =
        new Thread(
            () -> {
              ended.countDown();
              try {
                closed.await(CLOSE_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "kv-bridge-end");
    Runtime.getRuntime().addShutdownHook(atEnd);
    ended.await();
  }

  /** Worker ids are unsigned. */
  private static final class WorkerId implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      return Long.parseUnsignedLong(value);
    }
  }
}
