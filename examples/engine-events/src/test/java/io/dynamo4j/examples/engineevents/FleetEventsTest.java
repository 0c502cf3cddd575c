// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.engineevents;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.transport.zmq.PulledEngineEventSource;
import io.dynamo4j.transport.zmq.ZmqTransport;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FleetEventsTest {

  @Test
  void shouldIndexWhatAnEngineHandsOut() throws Exception {
    String stored =
        "[{\"event_id\": 0, \"data\": {\"type\": \"stored\", \"blocks\": [{\"block_hash\": 5,"
            + " \"tokens\": [{\"token_id\": 1}, {\"token_id\": 2}]}]}}]";
    AtomicInteger pulls = new AtomicInteger();
    CompletableFuture<Void> second = new CompletableFuture<>();
    try (RealEnvironment lanes = RealEnvironment.create();
        KvIndexer index =
            KvIndexer.builder().environment(lanes.environment()).blockSize(2).build();
        PulledEngineEventSource source =
            FleetEvents.follow(
                () -> {
                  if (pulls.getAndIncrement() == 0) {
                    return CompletableFuture.completedFuture(stored.getBytes(UTF_8));
                  }
                  second.complete(null);
                  return CompletableFuture.completedFuture("[]".getBytes(UTF_8));
                },
                lanes.lane("engine"),
                IndexedEngine.of(1, index))) {
      second.get(30, TimeUnit.SECONDS);
      index.flush().toCompletableFuture().get(30, TimeUnit.SECONDS);
      assertThat(index.status().blocks()).isEqualTo(1);
      assertThat(source.failureCount()).isZero();
    }
  }

  @Test
  void shouldJoinAFleetWithoutBrokers() throws Exception {
    EventScope scope = new EventScope.Endpoint("dynamo", "backend", "generate");
    CompletableFuture<String> received = new CompletableFuture<>();
    try (RealEnvironment lanes = RealEnvironment.create();
        ZmqTransport zmq = ZmqTransport.create(lanes.environment());
        EventPlane plane = FleetEvents.join(zmq, InMemoryEventChannels.create(), Map.of())) {
      plane.subscribe(
          scope,
          "kv-events",
          lanes.lane("subscriber"),
          envelope -> received.complete(new String(envelope.payload(), UTF_8)));
      plane.publisher(scope, "kv-events", 7).publish("hello".getBytes(UTF_8));
      assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo("hello");
    }
  }
}
