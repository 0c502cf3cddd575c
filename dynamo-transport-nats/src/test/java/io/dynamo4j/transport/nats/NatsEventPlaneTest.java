// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static io.dynamo4j.transport.nats.NatsRun.TOPIC;
import static io.dynamo4j.transport.nats.NatsRun.bytes;
import static io.dynamo4j.transport.nats.NatsRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.wire.EventEnvelopeCodec;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The plane beside peers that use the client itself, and what it does with bad input. */
@ExtendWith(NatsServerExtension.class)
class NatsEventPlaneTest {
  private final NatsServer server;
  private final NatsRun run = new NatsRun();
  private final List<EventEnvelope> received = new CopyOnWriteArrayList<>();

  NatsEventPlaneTest(NatsServer server) {
    this.server = server;
  }

  @AfterEach
  void close() {
    run.close();
  }

  private String subject() {
    return "namespace." + run.scope.namespace() + ".component.backend.endpoint.generate." + TOPIC;
  }

  private static byte[] message(long sequence) {
    return message(sequence, 1_795_992_466_555L);
  }

  private static byte[] message(long sequence, long publishedAtMillis) {
    return EventEnvelopeCodec.encode(
        EventEnvelope.of(7, sequence, publishedAtMillis, TOPIC, bytes("e" + sequence)));
  }

  private EventSubscription subscribe(NatsEventPlane plane) {
    return plane.subscribe(run.scope, TOPIC, run.lane(), received::add);
  }

  @Test
  void shouldSpeakAsDynamoDoes() throws Exception {
    NatsTransport transport = run.transport(server.url());
    NatsEventPlane plane = NatsEventPlane.builder(transport).build();
    Connection peer = run.peer(server.url());
    Subscription raw = peer.subscribe(subject());
    peer.flush(NatsRun.PATIENCE);
    plane.publisher(run.scope, TOPIC, -5).publish(bytes("x"));
    Message message = raw.nextMessage(NatsRun.PATIENCE);
    assertThat(message.hasHeaders()).isFalse();
    assertThat(message.getReplyTo()).isNull();
    EventEnvelope envelope = EventEnvelopeCodec.decode(message.getData());
    assertThat(envelope.publisherId()).isEqualTo(-5);
    assertThat(envelope.sequence()).isZero();
    assertThat(envelope.topic()).isEqualTo(TOPIC);

    subscribe(plane);
    run.confirm(transport);
    peer.publish(subject(), message(3));
    eventually(() -> received.size() == 1);
    assertThat(received.get(0).payload()).isEqualTo(bytes("e3"));
    assertThat(plane.status().count(NatsEventCounter.MISSED)).isZero();
  }

  @Test
  void shouldCountWhatIsMissingForeignOrOfAnotherTopic() throws Exception {
    NatsTransport transport = run.transport(server.url());
    NatsEventPlane plane = NatsEventPlane.builder(transport).build();
    subscribe(plane);
    run.confirm(transport);
    Connection peer = run.peer(server.url());
    peer.publish(subject(), message(0));
    peer.publish(subject(), new byte[0]);
    peer.publish(subject(), bytes("hello, is this the weather service?"));
    peer.publish(
        subject(),
        EventEnvelopeCodec.encode(EventEnvelope.of(7, 1, 1, "kv_metrics", bytes("other"))));
    peer.publish(subject(), message(4));
    peer.publish(subject(), message(2));
    peer.publish(subject(), message(0, 1_795_992_466_556L));
    eventually(() -> received.size() == 3);
    assertThat(received).extracting(EventEnvelope::sequence).containsExactly(0L, 4L, 0L);
    NatsEventPlaneStatus status = plane.status();
    assertThat(status.count(NatsEventCounter.UNREADABLE)).isEqualTo(2);
    assertThat(status.count(NatsEventCounter.OTHER_TOPIC)).isEqualTo(1);
    assertThat(status.count(NatsEventCounter.MISSED)).isEqualTo(3);
    assertThat(status.count(NatsEventCounter.LATE)).isEqualTo(1);
    assertThat(status.count(NatsEventCounter.RESTARTS)).isEqualTo(1);
    assertThat(status.topics()).isEqualTo(1);
    assertThat(status.toString()).contains("state=CONNECTED", "MISSED=3");
  }

  @Test
  void shouldDropCountAndGoOnWhenAPayloadIsTooLarge() {
    NatsTransport transport = run.transport(server.url());
    NatsEventPlane plane = NatsEventPlane.builder(transport).build();
    subscribe(plane);
    EventPublisher publisher = plane.publisher(run.scope, TOPIC, 1);
    publisher.publish(bytes("before"));
    assertThat(publisher.publish(new byte[2 << 20])).isEqualTo(1);
    publisher.publish(bytes("after"));
    eventually(() -> received.size() == 2);
    assertThat(received).extracting(EventEnvelope::sequence).containsExactly(0L, 2L);
    NatsEventPlaneStatus status = plane.status();
    assertThat(status.count(NatsEventCounter.OVERSIZED)).isEqualTo(1);
    assertThat(status.count(NatsEventCounter.MISSED)).isEqualTo(1);
    DynamoException refusal = Objects.requireNonNull(status.lastRefusal());
    assertThat(refusal.errorType()).isEqualTo(ErrorType.INVALID_REQUEST);
    assertThat(refusal).hasMessageContaining("max=1048576");
    assertThat(status.connection().disconnects()).isZero();
  }

  @Test
  void shouldStayBoundedWhenASubscriberDoesNotRead() throws Exception {
    int events = 20_000;
    int capacity = 100;
    NatsTransport transport = run.transport(server.url());
    NatsEventPlane plane = NatsEventPlane.builder(transport).queueCapacity(capacity).build();
    CountDownLatch held = new CountDownLatch(1);
    EventSubscription subscription =
        plane.subscribe(
            run.scope,
            TOPIC,
            run.lanes.lane("slow"),
            envelope -> {
              awaitQuietly(held);
              received.add(envelope);
            });
    run.confirm(transport);
    Connection peer = run.peer(server.url());
    for (int i = 0; i < events; i++) {
      peer.publish(subject(), message(i));
    }
    peer.flush(NatsRun.PATIENCE);
    // Each one has come by, or was dropped before it was told apart.
    eventually(
        () ->
            plane.status().count(NatsEventCounter.RECEIVED)
                    + plane.status().count(NatsEventCounter.SLOW_CONSUMER_DROPS)
                == events);
    assertThat(subscription.droppedCount()).isPositive();
    held.countDown();
    // The queue may still be full: a later one finds room.
    AtomicLong next = new AtomicLong(events);
    eventually(
        () -> {
          peer.publish(subject(), message(next.getAndIncrement()));
          return !received.isEmpty() && received.get(received.size() - 1).sequence() >= events;
        });
    // Those that waited when the lane was held, and whatever came after.
    assertThat(received.stream().filter(envelope -> envelope.sequence() < events).count())
        .isLessThanOrEqualTo(2L * capacity);
    assertThat(received).extracting(EventEnvelope::sequence).isSorted();
  }

  @Test
  void shouldLeaveTheHostsConnectionAsItWas() throws Exception {
    Connection host = run.peer(server.url());
    NatsTransport transport = run.transport(NatsOptions.builder().connection(host).build());
    NatsEventPlane plane = NatsEventPlane.builder(transport).build();
    subscribe(plane);
    plane.publisher(run.scope, TOPIC, 1).publish(bytes("x"));
    eventually(() -> received.size() == 1);
    plane.close();
    transport.close();
    assertThat(transport.status().state()).isEqualTo(NatsState.CLOSED);
    assertThat(host.getStatus()).isEqualTo(Connection.Status.CONNECTED);
    Subscription own = host.subscribe(subject());
    host.publish(subject(), bytes("still mine"));
    assertThat(own.nextMessage(NatsRun.PATIENCE).getData()).isEqualTo(bytes("still mine"));
    assertThat(received).hasSize(1);
  }

  @Test
  void shouldFailWhenTheHostClosesItsConnection() throws Exception {
    Connection host = run.peer(server.url());
    NatsTransport transport = run.transport(NatsOptions.builder().connection(host).build());
    NatsEventPlane plane = NatsEventPlane.builder(transport).build();
    run.confirm(transport);
    host.close();
    eventually(() -> transport.status().state() == NatsState.FAILED);
    DynamoException failure = Objects.requireNonNull(transport.status().lastFailure());
    assertThat(failure.errorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
    EventPublisher publisher = plane.publisher(run.scope, TOPIC, 1);
    publisher.publish(bytes("x"));
    eventually(() -> plane.status().count(NatsEventCounter.PUBLISH_DROPS) == 1);
  }

  @Test
  void shouldSendWhatWasPublishedBeforeTheClose() throws Exception {
    int events = 2_000;
    Connection peer = run.peer(server.url());
    Subscription raw = peer.subscribe(subject());
    raw.setPendingLimits(2L * events, -1);
    peer.flush(NatsRun.PATIENCE);
    NatsTransport transport = run.transport(server.url());
    NatsEventPlane plane = NatsEventPlane.builder(transport).build();
    run.confirm(transport);
    EventPublisher publisher = plane.publisher(run.scope, TOPIC, 1);
    for (int i = 0; i < events; i++) {
      publisher.publish(bytes("e" + i));
    }
    plane.close();
    transport.close();
    for (int i = 0; i < events; i++) {
      Message message = raw.nextMessage(NatsRun.PATIENCE);
      assertThat(EventEnvelopeCodec.decode(message.getData()).sequence()).isEqualTo(i);
    }
  }

  @Test
  void shouldAnnouncePublishersAsDynamoDoes() {
    InMemoryEventChannels channels = InMemoryEventChannels.create();
    NatsEventPlane plane =
        NatsEventPlane.builder(run.transport(server.url())).channels(channels).build();
    EventScope scope = new EventScope.Endpoint("dynamo", "backend", "generate");
    EventPublisher publisher = plane.publisher(scope, TOPIC, 9);
    String prefix = "namespace.dynamo.component.backend.endpoint.generate";
    assertThat(channels.channels())
        .containsExactly(new EventChannel(scope, TOPIC, 9, new Address("nats", prefix)));
    publisher.close();
    assertThat(channels.channels()).isEmpty();
  }

  @Test
  void shouldRefuseTopicsThatAreMoreThanAName() {
    NatsEventPlane plane = NatsEventPlane.builder(run.transport(server.url())).build();
    for (String topic : List.of("", "a.b", "*", ">", "a b", "a\nPUB x 0")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plane.publisher(run.scope, topic, 1))
          .withMessageContaining("topic must be");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plane.subscribe(run.scope, topic, run.lane(), received::add));
    }
  }

  @Test
  void shouldLeaveNoThreadBehind() {
    for (int i = 0; i < 20; i++) {
      NatsTransport transport = run.transport(server.url());
      NatsEventPlane plane = NatsEventPlane.builder(transport).build();
      subscribe(plane);
      run.confirm(transport);
      transport.close();
    }
    eventually(() -> clientThreads().isEmpty());
  }

  private static List<String> clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("nats") || name.startsWith("dynamo4j-nats"))
        .toList();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
