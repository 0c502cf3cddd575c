// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.EMPTY;
import static io.dynamo4j.transport.zmq.ZmqRun.bytes;
import static io.dynamo4j.transport.zmq.ZmqRun.eventually;
import static io.dynamo4j.transport.zmq.ZmqRun.get;
import static io.dynamo4j.transport.zmq.ZmqRun.number;
import static io.dynamo4j.transport.zmq.ZmqRun.publish;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

class ZmqEngineEventSourceTest {
  private final ZmqRun run = new ZmqRun();
  private final RecordingListener listener = new RecordingListener();

  @AfterEach
  void close() {
    run.close();
  }

  @Test
  void shouldReceiveThePastAndThenWhatIsPublished() throws Exception {
    ZmqEngineEventPublisher engine = engine("tcp://127.0.0.1:*", "tcp://127.0.0.1:*", true);
    publishUpTo(engine, 0, 5);
    ZmqEngineEventSource source = open(sourceOf(engine));
    eventually(() -> listener.told.size() == 5);
    publishUpTo(engine, 5, 9);
    eventually(() -> listener.told.size() == 9);
    assertThat(listener.told).isEqualTo(batches(0, 9));
    assertThat(source.status().state()).isEqualTo(EngineSourceState.RECEIVING);
    EngineRankStatus rank = source.status().ranks().get(0);
    assertThat(rank.count(EngineSourceCounter.REPLAYED_BATCHES)).isBetween(5L, 9L);
    assertThat(rank.count(EngineSourceCounter.LOST_BATCHES)).isZero();
    assertThat(rank.count(EngineSourceCounter.CONNECTIONS)).isPositive();
  }

  @Test
  void shouldReadRepliesWithoutATopic() throws Exception {
    ZmqEngineEventPublisher engine = engine("tcp://127.0.0.1:*", "tcp://127.0.0.1:*", false);
    publishUpTo(engine, 0, 3);
    open(sourceOf(engine));
    eventually(() -> listener.told.size() == 3);
    assertThat(listener.told).isEqualTo(batches(0, 3));
  }

  @Test
  void shouldFillAHoleByReplay() {
    PlainEngine engine = new PlainEngine(run);
    open(engine.source());
    engine.awaitSubscriber();
    engine.send(0, "a");
    engine.send(3, "d");
    engine.send(4, "e");
    eventually(
        () -> {
          engine.answer();
          engine.ring.putAll(Map.of(0, "a", 1, "b", 2, "c", 3, "d", 4, "e"));
          return listener.told.size() == 5;
        });
    assertThat(listener.told).containsExactly("0:0a", "0:1b", "0:2c", "0:3d", "0:4e");
  }

  @Test
  void shouldNoticeARestartedEngineAndReadItsPast() throws Exception {
    ZmqEngineEventPublisher engine = engine("tcp://127.0.0.1:*", "tcp://127.0.0.1:*", true);
    String address = get(engine.boundTo());
    String replay = get(engine.replayBoundTo());
    publishUpTo(engine, 0, 3);
    open(sourceOf(engine));
    eventually(() -> listener.told.size() == 3);
    engine.close();
    ZmqRun second = new ZmqRun();
    try {
      // The same ports, as after a restart; free again as soon as the old sockets are closed.
      ZmqEngineEventPublisher restarted = reopen(second, address, replay);
      restarted.publish(bytes("A"));
      restarted.publish(bytes("B"));
      eventually(() -> listener.told.size() == 6);
      assertThat(listener.told.subList(3, 6)).containsExactly("0:restart", "0:0A", "0:1B");
    } finally {
      second.close();
    }
  }

  private static ZmqEngineEventPublisher reopen(ZmqRun run, String address, String replay) {
    List<ZmqEngineEventPublisher> opened = new ArrayList<>();
    eventually(
        () -> {
          ZmqEngineEventPublisher next =
              ZmqEngineEventPublisher.builder(address)
                  .bind(true)
                  .replayEndpoint(replay)
                  .open(run.zmq);
          try {
            get(next.replayBoundTo());
          } catch (ExecutionException inUse) {
            next.close();
            return false;
          }
          opened.add(next);
          return true;
        });
    return opened.get(0);
  }

  @Test
  void shouldReachRanksOnOffsetAddresses() throws Exception {
    try (ZmqTransport engineSide =
        ZmqTransport.create(
            run.lanes.environment(), ZmqOptions.builder().context(run.peers).build())) {
      try (ZmqTransport routerSide =
          ZmqTransport.create(
              run.lanes.environment(), ZmqOptions.builder().context(run.peers).build())) {
        List<ZmqEngineEventPublisher> ranks = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
          ranks.add(
              ZmqEngineEventPublisher.builder("inproc://kv")
                  .replayEndpoint("inproc://replay")
                  .dpRank(rank)
                  .open(engineSide));
          get(ranks.get(rank).replayBoundTo());
        }
        ZmqEngineEventSource source =
            ZmqEngineEventSource.builder("inproc://kv")
                .replayEndpoint("inproc://replay")
                .ranks(1, 2)
                .open(routerSide, run.lane(), listener);
        ranks.get(0).publish(bytes("x"));
        ranks.get(1).publish(bytes("y"));
        ranks.get(2).publish(bytes("z"));
        eventually(() -> listener.told.size() == 2);
        assertThat(listener.told).containsExactlyInAnyOrder("1:0y", "2:0z");
        assertThat(source.status().ranks())
            .extracting(EngineRankStatus::endpoint)
            .containsExactly("inproc://kv_dp1", "inproc://kv_dp2");
      }
    }
    assertThat(run.peers.isClosed()).isFalse();
  }

  @Test
  void shouldTakeWantedTopicsOnly() {
    ZMQ.Socket pub = run.peer(SocketType.XPUB);
    open(ZmqEngineEventSource.builder(ZmqRun.bind(pub)).topic("kv@pod"));
    assertThat(pub.recv()).isEqualTo(bytes("\u0001kv@pod"));
    publish(pub, "other", 0, bytes("no"));
    publish(pub, "kv@pod1@model", 0, bytes("yes"));
    eventually(() -> !listener.told.isEmpty());
    assertThat(listener.told).containsExactly("0:0yes");
  }

  @Test
  void shouldCountMessagesOfWrongFormAndGoOn() {
    ZMQ.Socket pub = run.peer(SocketType.XPUB);
    ZmqEngineEventSource source = open(ZmqEngineEventSource.builder(ZmqRun.bind(pub)));
    pub.recv();
    pub.send("one frame");
    pub.sendMore("two");
    pub.send("frames");
    pub.sendMore("");
    pub.sendMore("");
    pub.sendMore(number(0));
    pub.send("four frames");
    pub.sendMore("");
    pub.sendMore(new byte[4]);
    pub.send("short number");
    publish(pub, "", 0, bytes("good"));
    eventually(() -> !listener.told.isEmpty());
    assertThat(listener.told).containsExactly("0:0good");
    EngineRankStatus rank = source.status().ranks().get(0);
    assertThat(rank.count(EngineSourceCounter.BAD_FRAMES)).isEqualTo(3);
    assertThat(rank.count(EngineSourceCounter.BAD_SEQUENCES)).isEqualTo(1);
  }

  @Test
  void shouldSayWhatIsTrueOfTheConnection() {
    ZMQ.Socket pub = run.peer(SocketType.XPUB);
    int port = pub.bindToRandomPort("tcp://127.0.0.1");
    String address = "tcp://127.0.0.1:" + port;
    pub.unbind(address);
    ZmqEngineEventSource source = open(ZmqEngineEventSource.builder(address));
    assertThat(source.status().state()).isEqualTo(EngineSourceState.CONNECTING);
    eventually(() -> ZmqRun.tryBind(pub, address));
    eventually(() -> source.status().state() == EngineSourceState.CONNECTED);
    pub.recv();
    publish(pub, "", 0, EMPTY);
    eventually(() -> source.status().state() == EngineSourceState.RECEIVING);
    pub.close();
    eventually(() -> source.status().state() == EngineSourceState.CONNECTING);
    source.close();
    source.close();
    assertThat(source.status().state()).isEqualTo(EngineSourceState.CLOSED);
  }

  @Test
  void shouldCallAConnectedEngineSilentThatSaysNothing() {
    ZMQ.Socket pub = run.peer(SocketType.XPUB);
    ZmqEngineEventSource source =
        open(ZmqEngineEventSource.builder(ZmqRun.bind(pub)).silentAfter(Duration.ofNanos(1)));
    eventually(() -> source.status().state() == EngineSourceState.SILENT);
    assertThat(source.status().toString()).contains("state=SILENT").contains("CONNECTIONS=");
  }

  @Test
  void shouldSayWhyAnAddressFails() {
    ZMQ.Socket other = run.peer(SocketType.PULL);
    String inUse = ZmqRun.bind(other);
    ZmqEngineEventSource source = open(ZmqEngineEventSource.builder(inUse).bind(true));
    eventually(() -> source.status().state() == EngineSourceState.FAILED);
    assertThat(source.status().ranks().get(0).problem())
        .startsWith("cannot use address: endpoint=" + inUse);
  }

  @Test
  void shouldBindWhereTheEngineDials() {
    ZmqEngineEventSource source =
        open(ZmqEngineEventSource.builder("tcp://127.0.0.1:*").bind(true));
    eventually(() -> !source.status().ranks().get(0).endpoint().endsWith("*"));
    ZMQ.Socket pub = run.peer(SocketType.XPUB);
    pub.connect(source.status().ranks().get(0).endpoint());
    pub.recv();
    publish(pub, "kv@127.0.0.1:8000@model", 1, bytes("a"));
    eventually(() -> listener.told.size() == 2);
    assertThat(listener.told).containsExactly("0:lost 0-0", "0:1a");
  }

  @Test
  void shouldTakeTheVeryConfigurationOfTheEngine() throws Exception {
    ZmqEngineEventPublisher engine =
        ZmqEngineEventPublisher.builder("tcp://127.0.0.1:*")
            .replayEndpoint("tcp://127.0.0.1:*")
            .topic("kv")
            .open(run.zmq);
    String json =
        "{\"enable_kv_cache_events\": true, \"publisher\": \"zmq\", \"topic\": \"kv\","
            + " \"endpoint\": \"tcp://*:%s\", \"replay_endpoint\": \"tcp://*:%s\"}"
                .formatted(port(get(engine.boundTo())), port(get(engine.replayBoundTo())));
    publishUpTo(engine, 0, 2);
    ZmqEngineEventSource source = open(ZmqEngineEventSource.fromKvEventsConfig(json, "127.0.0.1"));
    eventually(() -> listener.told.size() == 2);
    assertThat(source.status().ranks().get(0).endpoint()).isEqualTo(get(engine.boundTo()));
  }

  @Test
  void shouldHaveNoSocketWhereTheEngineIsConfiguredToBeSilent() {
    ZmqEngineEventSource source =
        open(ZmqEngineEventSource.fromKvEventsConfig("{\"publisher\": \"null\"}", "127.0.0.1"));
    assertThat(source.status().state()).isEqualTo(EngineSourceState.DISABLED);
    assertThat(source.status().disabledBecause()).isEqualTo("publisher is null");
    assertThat(source.status().ranks()).isEmpty();
    source.close();
  }

  @Test
  void shouldLoseNothingWhenTheLaneIsSlow() throws Exception {
    ZmqEngineEventPublisher engine = engine("tcp://127.0.0.1:*", "tcp://127.0.0.1:*", true);
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch holding = new CountDownLatch(1);
    var lane = run.lane();
    lane.execute(
        () -> {
          holding.countDown();
          awaitQuietly(held);
        });
    holding.await();
    ZmqEngineEventSource source = sourceOf(engine).queueCapacity(16).open(run.zmq, lane, listener);
    publishUpTo(engine, 0, 3000);
    eventually(() -> source.status().ranks().get(0).count(EngineSourceCounter.BATCHES) >= 16);
    held.countDown();
    eventually(() -> listener.told.size() == 3000);
    assertThat(listener.told).isEqualTo(batches(0, 3000));
  }

  @Test
  void shouldServeManyEnginesOnOneThread() throws Exception {
    int engines = 40;
    List<ZmqEngineEventPublisher> publishers = new ArrayList<>();
    List<RecordingListener> listeners = new ArrayList<>();
    for (int i = 0; i < engines; i++) {
      publishers.add(engine("tcp://127.0.0.1:*", "tcp://127.0.0.1:*", true));
      publishUpTo(publishers.get(i), 0, 20);
      listeners.add(new RecordingListener());
      sourceOf(publishers.get(i)).open(run.zmq, run.lane(), listeners.get(i));
    }
    for (int i = 0; i < engines; i++) {
      publishUpTo(publishers.get(i), 20, 40);
      RecordingListener each = listeners.get(i);
      eventually(() -> each.told.size() == 40);
      assertThat(each.told).isEqualTo(batches(0, 40));
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().equals("dynamo4j-zmq"))
        .hasSize(1)
        .allMatch(Thread::isDaemon);
  }

  /* --------------- Engines --------------- */

  private ZmqEngineEventPublisher engine(String endpoint, String replay, boolean topics) {
    return ZmqEngineEventPublisher.builder(endpoint)
        .replayEndpoint(replay)
        .repliesHaveTopic(topics)
        .open(run.zmq);
  }

  private static ZmqEngineEventSourceBuilder sourceOf(ZmqEngineEventPublisher engine)
      throws Exception {
    return ZmqEngineEventSource.builder(get(engine.boundTo()))
        .replayEndpoint(get(engine.replayBoundTo()));
  }

  private ZmqEngineEventSource open(ZmqEngineEventSourceBuilder builder) {
    return builder.open(run.zmq, run.lane(), listener);
  }

  private static void publishUpTo(ZmqEngineEventPublisher engine, int first, int end) {
    for (int i = first; i < end; i++) {
      assertThat(engine.publish(bytes("-" + i))).isEqualTo(i);
    }
  }

  private static List<String> batches(int first, int end) {
    return IntStream.range(first, end).mapToObj(i -> "0:" + i + "-" + i).toList();
  }

  private static String port(String address) {
    return address.substring(address.lastIndexOf(':') + 1);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
