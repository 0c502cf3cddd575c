// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.blocking.BlockingResponses;
import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.durable.DurableKvBridge;
import io.dynamo4j.micrometer.DurableMetrics;
import io.dynamo4j.micrometer.NatsMetrics;
import io.dynamo4j.micrometer.TcpMetrics;
import io.dynamo4j.micrometer.ZmqMetrics;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.testkit.durable.SimulatedLogServer;
import io.dynamo4j.testkit.durable.SimulatedLogSettings;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsTransport;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.dynamo4j.transport.zmq.ZmqTransport;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a host shows its planes and its durable log. */
@Timeout(60)
class PlaneMetricsTest {
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private double count(String name) {
    return registry.get(name).functionCounter().count();
  }

  private double gauge(String name) {
    return registry.get(name).gauge().value();
  }

  @Test
  void shouldCountDialsOfARequestPlane() {
    try (RealEnvironment threads = RealEnvironment.create();
        TcpRequestPlane<byte[], byte[]> plane =
            TcpRequestPlane.builder(PayloadCodec.raw(), threads.environment()).build()) {
      TcpMetrics.bind(registry, plane);
      WorkerInstance worker = WorkerInstance.builder(1, plane.address("1/generate")).build();
      plane.serve(
          worker,
          (requestId, request, sink) -> {
            sink.next(request);
            sink.complete();
          });
      assertThat(count("dynamo4j.tcp.plane.dials")).isZero();

      assertThat(ask(threads.environment(), plane, worker)).containsExactly("hello");

      assertThat(count("dynamo4j.tcp.plane.dials")).isEqualTo(1);
      assertThat(count("dynamo4j.tcp.plane.slow.readers")).isZero();
    }
  }

  private static List<String> ask(
      Environment environment, TcpRequestPlane<byte[], byte[]> plane, WorkerInstance worker) {
    Attempt attempt = Attempt.builder("r", environment.lanes().lane("client")).build();
    byte[] request = {(byte) 0xa5, 'h', 'e', 'l', 'l', 'o'};
    List<String> texts = new ArrayList<>();
    var stream = plane.send(worker, request, attempt);
    try (var answer = BlockingResponses.builder(stream, Gate.over(environment)).open()) {
      answer.forEachRemaining(item -> texts.add(new String(item, 1, item.length - 1, UTF_8)));
    }
    return texts;
  }

  @Test
  void shouldShowWhatAnEventPlaneWantsAndDrops() {
    try (RealEnvironment threads = RealEnvironment.create();
        ZmqTransport transport = ZmqTransport.create(threads.environment());
        ZmqEventPlane plane =
            ZmqEventPlane.direct(transport, InMemoryEventChannels.create()).build();
        EventPublisher publisher = plane.publisher(SCOPE, "kv-events", 7)) {
      ZmqMetrics.bind(registry, plane);
      ZmqMetrics.bindKvEvents(registry, plane);

      publisher.publish("nobody listens".getBytes(UTF_8));

      assertThat(gauge("dynamo4j.zmq.plane.wanted.publishers")).isZero();
      assertThat(count("dynamo4j.zmq.plane.publish.drops")).isZero();
      assertThat(count("dynamo.component.router.kv.zmq.ingress.batches")).isZero();
    }
  }

  @Test
  void shouldShowAServerThatIsNotThere() {
    NatsOptions options = NatsOptions.builder().server("nats://127.0.0.1:1").build();
    try (RealEnvironment threads = RealEnvironment.create();
        NatsTransport transport = NatsTransport.create(threads.environment(), options);
        NatsEventPlane plane = NatsEventPlane.builder(transport).build()) {
      NatsMetrics.bind(registry, transport);
      NatsMetrics.bind(registry, plane);

      assertThat(registry.get("dynamo4j.nats.state").tag("state", "connected").gauge().value())
          .isZero();
      assertThat(count("dynamo4j.nats.disconnects")).isZero();
      assertThat(count("dynamo4j.nats.plane.received")).isZero();
    }
  }

  @Test
  void shouldShowWhatABridgeWritesToADurableLog() {
    Simulation simulation = Simulation.builder().seed(1).build();
    Environment environment = simulation.environment("bridge");
    SimulatedLogServer server =
        SimulatedLogServer.start(simulation, "log", SimulatedLogSettings.ofDefaults());
    try (KvIndexer index = KvIndexer.builder().environment(environment).blockSize(4).build();
        DurableKvBridge bridge =
            DurableKvBridge.builder()
                .log(server.log(environment))
                .index(index)
                .environment(environment)
                .build()) {
      DurableMetrics.bind(registry, bridge);
      server.reachable(false);
      bridge.submit(
          RouterEvent.of(
              1, StorageTier.DEVICE, KvCacheEvent.of(0, 0, KvCacheEventData.Cleared.instance())));
      simulation.runFor(5_000_000_000L);
      assertThat(gauge("dynamo4j.durable.writer.failing")).isEqualTo(1);
      assertThat(count("dynamo4j.durable.writer.entries")).isZero();

      server.reachable(true);
      simulation.runFor(120_000_000_000L);

      assertThat(gauge("dynamo4j.durable.writer.failing")).isZero();
      assertThat(count("dynamo4j.durable.writer.entries")).isPositive();
      assertThat(gauge("dynamo4j.durable.writer.waiting.events")).isZero();
    }
  }
}
