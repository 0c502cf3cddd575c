// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.durable.DurableKvFeed;
import io.dynamo4j.indexer.durable.DurableKvPublisher;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.indexer.remote.IndexService;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.PolicyClass;
import io.dynamo4j.kvrouter.QueueConfig;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.durable.SimulatedLogServer;
import io.dynamo4j.testkit.durable.SimulatedLogSettings;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsRequestPlane;
import io.dynamo4j.transport.nats.NatsTransport;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import io.dynamo4j.transport.zmq.ZmqEngineEventSource;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.dynamo4j.transport.zmq.ZmqTransport;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** One of everything that can be metered, with all of its meters. */
final class WiredFleet implements AutoCloseable {
  private static final int BLOCK = 4;
  private static final EventScope.Endpoint SCOPE =
      new EventScope.Endpoint("ns", "backend", "generate");

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final Environment environment = simulation.environment("router");
  private final RealEnvironment threads = RealEnvironment.create();
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final List<Object> held = new ArrayList<>();
  private final KvIndexer indexer =
      KvIndexer.builder().environment(environment).blockSize(BLOCK).build();

  WiredFleet(MeterRegistry registry) {
    open.push(threads);
    directory.register(WorkerInstance.builder(1, InMemoryRequestPlane.address("worker-1")).build());
    bindRouter(registry);
    bindIndex(registry);
    bindDurable(registry);
    bindZmq(registry);
    bindTcp(registry);
    bindNats(registry);
    simulateAMoment();
  }

  void simulateAMoment() {
    simulation.runFor(1_000_000);
  }

  /** The registry holds what it reads weakly. */
  private <T> T hold(T part) {
    held.add(part);
    return part;
  }

  private <T extends AutoCloseable> T own(T part) {
    open.push(part);
    return part;
  }

  private void bindRouter(MeterRegistry registry) {
    RouterMetrics metrics =
        RouterMetrics.builder(registry).routerId(7).model("m").endpoint(SCOPE).build();
    KvRouter router =
        own(
            KvRouter.builder()
                .environment(environment)
                .directory(directory)
                .indexer(indexer)
                .queue(
                    QueueConfig.builder()
                        .policyClass(
                            PolicyClass.builder("interactive").prefillBusyThreshold(8).build())
                        .policyClass(PolicyClass.builder("batch").prefillBusyThreshold(8).build())
                        .build())
                .replicaSync(InMemoryEventPlane.create(environment), SCOPE)
                .listener(metrics)
                .build());
    metrics.observe(router);
    metrics.observeReplicaSync(router);
    own(metrics.observeWorkers(router, directory, environment.lanes().lane("metrics")));
  }

  private void bindIndex(MeterRegistry registry) {
    InMemoryEventPlane events = InMemoryEventPlane.create(environment);
    IndexerMetrics.bind(registry, indexer);
    IndexerMetrics.bind(
        registry, own(KvEventFeed.connect(events, SCOPE, directory, indexer, environment)));
    IndexerMetrics.bind(registry, hold(EngineEventNormalizer.builder(1, BLOCK).build()), 1);
    var plane = InMemoryRequestPlane.<byte[], byte[]>create(environment);
    WorkerInstance endpoint =
        WorkerInstance.builder(9, InMemoryRequestPlane.address("index")).build();
    IndexerMetrics.bind(registry, own(IndexService.serve(plane, endpoint, directory)));
    RemoteIndex remote = RemoteIndex.of(plane, directory, "m", environment, Duration.ofSeconds(1));
    IndexerMetrics.bind(registry, hold(remote), 7);
  }

  private void bindDurable(MeterRegistry registry) {
    SimulatedLogServer server =
        SimulatedLogServer.start(simulation, "log", SimulatedLogSettings.ofDefaults());
    DurableEventLog log = own(server.log(environment));
    DurableMetrics.bind(
        registry,
        own(
            DurableKvFeed.builder()
                .log(log)
                .snapshots(server.snapshots(environment))
                .scope("ns", "backend")
                .index(indexer)
                .environment(environment)
                .start()));
    DurableMetrics.bind(
        registry, own(DurableKvPublisher.start(WorkerWithDpRank.of(1), log, environment)));
  }

  private void bindZmq(MeterRegistry registry) {
    ZmqTransport transport = own(ZmqTransport.create(threads.environment()));
    ZmqEventPlane plane =
        own(ZmqEventPlane.direct(transport, InMemoryEventChannels.create()).build());
    ZmqMetrics.bind(registry, plane);
    ZmqMetrics.bindKvEvents(registry, plane);
    ZmqMetrics.bindActiveSequences(registry, plane);
    ZmqMetrics.bind(
        registry,
        own(
            ZmqEngineEventSource.builder("tcp://127.0.0.1:1")
                .open(transport, threads.lane("engine"), (rank, sequence, batch) -> {})));
  }

  private void bindTcp(MeterRegistry registry) {
    TcpMetrics.bind(
        registry, own(TcpRequestPlane.builder(PayloadCodec.raw(), threads.environment()).build()));
  }

  private void bindNats(MeterRegistry registry) {
    NatsTransport transport =
        own(
            NatsTransport.create(
                threads.environment(),
                NatsOptions.builder().server("nats://127.0.0.1:1").maxConnectAttempts(1).build()));
    NatsMetrics.bind(registry, transport);
    NatsMetrics.bind(registry, own(NatsEventPlane.builder(transport).build()));
    NatsMetrics.bind(
        registry, own(NatsRequestPlane.builder(PayloadCodec.raw(), transport).build()));
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        throw new AssertionError("part does not close", e);
      }
    }
  }
}
