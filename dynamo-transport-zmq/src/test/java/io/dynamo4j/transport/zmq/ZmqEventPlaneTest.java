// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.bytes;
import static io.dynamo4j.transport.zmq.ZmqRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.AddressPolicy;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.wire.ZmqEventMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

class ZmqEventPlaneTest {
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");
  private static final String TOPIC = "kv-events";

  private final ZmqRun run = new ZmqRun();
  private final InMemoryEventChannels channels = InMemoryEventChannels.create();
  private final List<EventEnvelope> received = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    run.close();
  }

  @Test
  void shouldReadWhatRealWorkersPublished() throws Exception {
    ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).build();
    ZMQ.Socket pub = run.peer(SocketType.XPUB);
    List<List<byte[]>> recorded = new ArrayList<>();
    String publisher = null;
    for (String line :
        Files.readAllLines(SharedData.golden("wire/events-zmq/main-file-tcp-zmq.jsonl"))) {
      JsonNode node = new ObjectMapper().readTree(line);
      if (!node.get("topic_frame").asText().equals(TOPIC)) {
        continue;
      }
      if (publisher == null) {
        publisher = node.get("publisher_frame").asText();
      }
      if (publisher.equals(node.get("publisher_frame").asText())) {
        List<byte[]> frames = new ArrayList<>();
        node.get("frames").forEach(hex -> frames.add(HexFormat.of().parseHex(hex.asText())));
        recorded.add(frames);
      }
    }
    assertThat(recorded).hasSizeGreaterThan(10);
    announce(Long.parseUnsignedLong(String.valueOf(publisher)), ZmqRun.bind(pub));
    subscribe(plane);
    assertThat(pub.recv()).isEqualTo(bytes("\u0001" + TOPIC));
    recorded.forEach(frames -> send(pub, frames));
    eventually(() -> received.size() == recorded.size());
    for (int i = 0; i < recorded.size(); i++) {
      EventEnvelope expected = ZmqEventMessage.decode(recorded.get(i)).envelope();
      assertThat(received.get(i).sequence()).isEqualTo(expected.sequence());
      assertThat(received.get(i).payload()).isEqualTo(expected.payload());
    }
    assertThat(plane.status().count(EventPlaneCounter.UNREADABLE)).isZero();
    assertThat(plane.status().count(EventPlaneCounter.RECEIVED)).isEqualTo(recorded.size());
    plane.close();
  }

  @Test
  void shouldCountWhatIsMissingWrongOrUnreadable() {
    ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).build();
    ZMQ.Socket pub = run.peer(SocketType.XPUB);
    announce(7, ZmqRun.bind(pub));
    subscribe(plane);
    pub.recv();
    send(pub, message(TOPIC, TOPIC, 7, 5));
    send(pub, message(TOPIC, TOPIC, 7, 8));
    send(pub, message(TOPIC + "2", TOPIC, 7, 9));
    send(pub, message(TOPIC, "other", 7, 9));
    send(pub, message(TOPIC, TOPIC, 8, 9));
    send(pub, List.of(bytes(TOPIC), bytes("x"), bytes("y")));
    send(pub, message(TOPIC, TOPIC, 7, 9));
    eventually(() -> received.size() == 3);
    assertThat(received).extracting(EventEnvelope::sequence).containsExactly(5L, 8L, 9L);
    EventPlaneStatus status = plane.status();
    assertThat(status.count(EventPlaneCounter.MISSED)).isEqualTo(2);
    assertThat(status.count(EventPlaneCounter.OTHER_TOPIC)).isEqualTo(2);
    assertThat(status.count(EventPlaneCounter.WRONG_PUBLISHER)).isEqualTo(1);
    assertThat(status.count(EventPlaneCounter.UNREADABLE)).isEqualTo(1);
    assertThat(status.connectedPublishers()).isEqualTo(1);
    assertThat(status.toString()).contains("MISSED=2");
    plane.close();
  }

  @Test
  void shouldFollowTheDirectory() {
    ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).build();
    ZMQ.Socket first = run.peer(SocketType.XPUB);
    EventSubscription subscription = subscribe(plane);
    Subscription announced = announce(7, ZmqRun.bind(first));
    first.recv();
    eventually(() -> plane.status().connectedPublishers() == 1);
    announced.close();
    eventually(() -> plane.status().wantedPublishers() == 0);

    ZMQ.Socket second = run.peer(SocketType.XPUB);
    announce(7, ZmqRun.bind(second));
    second.recv();
    send(second, message(TOPIC, TOPIC, 7, 0));
    eventually(() -> received.size() == 1);
    subscription.close();
    eventually(() -> plane.status().wantedPublishers() == 0);
    plane.close();
  }

  @Test // field report F02
  void shouldConnectToAPublisherThatListensLaterThanItIsAnnounced() throws Exception {
    ZMQ.Socket pub = run.peer(SocketType.XPUB);
    ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).build();
    String address;
    // Keeps the port from others and refuses whoever dials it.
    try (Socket bound = new Socket()) {
      bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      address = "tcp://127.0.0.1:" + bound.getLocalPort();
      announce(7, address);
      subscribe(plane);
      eventually(() -> plane.status().wantedPublishers() == 1);
      assertThat(plane.status().connectedPublishers()).isZero();
    }
    eventually(() -> ZmqRun.tryBind(pub, address));
    pub.recv();
    send(pub, message(TOPIC, TOPIC, 7, 0));
    eventually(() -> received.size() == 1);
    plane.close();
  }

  @Test
  void shouldDialNoAddressThatThePolicyForbids() {
    ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).build();
    announce(1, "tcp://192.0.2.1:5555");
    announce(2, "tcp://localhost:5555");
    announce(3, "ipc:///run/kv");
    announce(4, "tcp://127.0.0.1");
    subscribe(plane);
    eventually(() -> plane.status().count(EventPlaneCounter.REFUSED_ADDRESSES) == 4);
    assertThat(plane.status().wantedPublishers()).isZero();
    ZmqEventPlane trusting =
        ZmqEventPlane.direct(run.zmq, channels).addressPolicy(AddressPolicy.any()).build();
    subscribe(trusting);
    eventually(() -> trusting.status().wantedPublishers() == 1);
    plane.close();
    trusting.close();
  }

  @Test
  void shouldAnnounceWhatIsBoundUnderTheAddressThatOthersReach() {
    ZmqEventPlane plane =
        ZmqEventPlane.direct(run.zmq, channels)
            .fromEnvironment(Map.of("DYN_EVENT_PLANE_HOST", "192.0.2.7"))
            .build();
    EventPublisher publisher = plane.publisher(SCOPE, TOPIC, -1);
    eventually(() -> channels.channels().size() == 1);
    EventChannel channel = channels.channels().get(0);
    assertThat(channel.publisherId()).isEqualTo(-1);
    assertThat(channel.scope()).isEqualTo(SCOPE);
    assertThat(channel.address().transport()).isEqualTo("zmq");
    assertThat(channel.address().value()).matches("tcp://192\\.0\\.2\\.7:[1-9][0-9]*");
    publisher.close();
    eventually(() -> channels.channels().isEmpty());
    plane.close();
  }

  @Test
  void shouldBindWhereAsked() {
    ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).bindHost("192.0.2.1").build();
    plane.publisher(SCOPE, TOPIC, 1);
    eventually(() -> plane.status().count(EventPlaneCounter.FAILED_ADDRESSES) == 1);
    assertThat(channels.channels()).isEmpty();
    plane.close();
  }

  @Test // field report F04
  void shouldDropAndCountWhenTheSocketFallsBehind() throws Exception {
    ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).queueCapacity(4).build();
    subscribe(plane);
    EventPublisher publisher = plane.publisher(SCOPE, TOPIC, 1);
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch holding = new CountDownLatch(1);
    run.zmq
        .loop()
        .execute(
            () -> {
              holding.countDown();
              awaitQuietly(held);
            });
    holding.await();
    for (long i = 0; i < 10; i++) {
      assertThat(publisher.publish(bytes("e" + i))).isEqualTo(i);
    }
    assertThat(plane.status().count(EventPlaneCounter.PUBLISH_DROPS)).isEqualTo(6);
    held.countDown();
    eventually(() -> received.size() == 4);
    publisher.publish(bytes("after"));
    eventually(() -> received.size() == 5);
    assertThat(received).extracting(EventEnvelope::sequence).containsExactly(0L, 1L, 2L, 3L, 10L);
    publisher.close();
    eventually(() -> plane.status().count(EventPlaneCounter.PUBLISH_DROPS) == 6);
    plane.close();
  }

  @Test
  void shouldNoticeASubscriberThatDoesNotRead() {
    ZmqEventPlane plane = ZmqEventPlane.direct(run.zmq, channels).highWater(1).build();
    PlanePublisher publisher = (PlanePublisher) plane.publisher(SCOPE, TOPIC, 1);
    eventually(() -> channels.channels().size() == 1);
    ZMQ.Socket sub = run.peer(SocketType.SUB);
    sub.setRcvHWM(1);
    sub.subscribe("");
    String address = channels.channels().get(0).address().value();
    ZmqRun.dial(sub, address, () -> publisher.subscriptions() == 1);
    byte[] large = new byte[1 << 20];
    eventually(
        () -> {
          publisher.publish(large);
          return plane.status().count(EventPlaneCounter.FULL_SUBSCRIBERS) > 0;
        });
    plane.close();
  }

  @Test
  void shouldTakeEachEnvelopeOnceFromSeveralBrokers() {
    try (PlainBroker one = new PlainBroker();
        PlainBroker two = new PlainBroker();
        ZmqRun other = new ZmqRun()) {
      ZmqBrokers brokers =
          ZmqBrokers.parse(
              "xsub=%s;%s , xpub=%s;%s"
                  .formatted(
                      one.forPublishers,
                      two.forPublishers,
                      one.forSubscribers,
                      two.forSubscribers));
      ZmqEventPlane here = ZmqEventPlane.brokered(run.zmq, brokers).build();
      ZmqEventPlane there = ZmqEventPlane.brokered(other.zmq, brokers).build();
      subscribe(here);
      PlanePublisher publisher = (PlanePublisher) there.publisher(SCOPE, TOPIC, 1);
      eventually(() -> publisher.subscriptions() == 2);
      for (int i = 0; i < 200; i++) {
        publisher.publish(bytes("e" + i));
      }
      eventually(
          () ->
              here.status().count(EventPlaneCounter.RECEIVED)
                      + here.status().count(EventPlaneCounter.REPEATED)
                  == 400);
      eventually(() -> received.size() == 200);
      assertThat(here.status().count(EventPlaneCounter.REPEATED)).isEqualTo(200);
      assertThat(here.status().count(EventPlaneCounter.MISSED)).isZero();
      here.close();
      there.close();
    }
  }

  private Subscription announce(long publisherId, String address) {
    return channels.register(
        new EventChannel(SCOPE, TOPIC, publisherId, new Address("zmq", address)));
  }

  private EventSubscription subscribe(ZmqEventPlane plane) {
    return plane.subscribe(SCOPE, TOPIC, run.lane(), received::add);
  }

  private static List<byte[]> message(
      String filter, String topic, long publisherId, long sequence) {
    return ZmqEventMessage.of(
            filter, EventEnvelope.of(publisherId, sequence, 1, topic, bytes("payload")))
        .encode();
  }

  private static void send(ZMQ.Socket socket, List<byte[]> frames) {
    for (int i = 0; i < frames.size(); i++) {
      socket.send(frames.get(i), i == frames.size() - 1 ? 0 : ZMQ.SNDMORE);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
