// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static io.dynamo4j.transport.nats.NatsRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.LogSubscription;
import io.nats.client.JetStreamManagement;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What may be wrong with a server's storage comes as a typed failure, and goes when it does. */
class NatsDurableFaultTest {
  private final NatsRun run = new NatsRun();
  private final Path storage = JetStreamExtension.folder();

  @AfterEach
  void close() {
    run.close();
    JetStreamExtension.delete(storage);
  }

  private static DurableStreamConfig.Builder config() {
    return DurableStreamConfig.builder("faults", "backend")
        .maxBytes(16 << 20)
        .requestTimeout(NatsRun.PATIENCE);
  }

  /** A call that is under way when its server dies ends long before the test does. */
  private static DurableStreamConfig.Builder interrupted() {
    return config().requestTimeout(Duration.ofSeconds(15));
  }

  private static <T> T value(CompletionStage<T> stage) {
    return NatsRun.get(stage.toCompletableFuture());
  }

  private static DurableLogException failure(CompletionStage<?> stage) {
    Throwable thrown =
        value(
            stage.handle(
                (value, failure) ->
                    failure instanceof CompletionException wrapped ? wrapped.getCause() : failure));
    assertThat(thrown).isInstanceOf(DurableLogException.class);
    return (DurableLogException) thrown;
  }

  private static CompletionStage<Long> append(DurableEventLog log, String text) {
    return log.append(text, text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldSayThatServerKeepsNothing() {
    try (NatsServer server = NatsServer.start();
        NatsDurableLog log = NatsDurableLog.open(run.transport(server.url()), config().build());
        NatsSnapshotStore snapshots =
            NatsSnapshotStore.open(run.transport(server.url()), config().build())) {
      assertThat(failure(append(log, "a")).reason()).isEqualTo(Reason.DISABLED);
      assertThat(failure(snapshots.list()).reason()).isEqualTo(Reason.DISABLED);
      LogProbe probe = new LogProbe();
      log.consume("reader", 1, run.lane(), probe);
      eventually(() -> !probe.failures.isEmpty());
      assertThat(probe.failures.get(0).reason()).isEqualTo(Reason.DISABLED);
    }
  }

  @Test
  void shouldSayThatCredentialsAreWrong() {
    try (NatsServer server = NatsServer.start("--user", "alice", "--pass", "right")) {
      NatsOptions options =
          NatsOptions.builder()
              .fromEnvironment(
                  Map.of(
                      "NATS_SERVER", server.url(),
                      "NATS_AUTH_USERNAME", "alice",
                      "NATS_AUTH_PASSWORD", "hunter2"))
              .maxConnectAttempts(1)
              .build();
      NatsTransport transport = run.transport(options);
      eventually(() -> transport.status().state() == NatsState.FAILED);
      try (NatsDurableLog log =
          NatsDurableLog.open(transport, config().requestTimeout(Duration.ofMillis(50)).build())) {
        DurableLogException failure = failure(append(log, "a"));
        assertThat(failure.reason()).isEqualTo(Reason.NOT_ALLOWED);
        assertThat(failure.getMessage()).doesNotContain("hunter2");
      }
    }
  }

  @Test
  void shouldSayThatThereIsNoServer() {
    try (NatsProxy nowhere = NatsProxy.toNowhere();
        NatsDurableLog log =
            NatsDurableLog.open(
                run.transport(nowhere.url()),
                config().requestTimeout(Duration.ofMillis(50)).build())) {
      DurableLogException failure = failure(append(log, "a"));
      assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
      assertThat(failure.isTransient()).isTrue();
    }
  }

  @Test
  void shouldNotTouchStreamOfAnotherConfiguration() {
    try (NatsServer server = NatsServer.startWithStorage(storage)) {
      try (NatsDurableLog log =
          NatsDurableLog.open(run.transport(server.url()), config().build())) {
        assertThat(value(append(log, "a"))).isEqualTo(1);
      }
      try (NatsDurableLog other =
          NatsDurableLog.open(
              run.transport(server.url()), config().retention(Duration.ofMinutes(5)).build())) {
        DurableLogException failure = failure(append(other, "b"));
        assertThat(failure.reason()).isEqualTo(Reason.OTHER_CONFIGURATION);
        assertThat(failure).hasMessageContaining("maxAge=PT1H (asked PT5M)");
      }
      try (NatsDurableLog log =
          NatsDurableLog.open(run.transport(server.url()), config().build())) {
        assertThat(value(log.facts()).entries()).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldSayThatStreamIsFullAndGoOnOnceThereIsRoom() {
    try (NatsServer server = NatsServer.startWithStorage(storage);
        NatsDurableLog log =
            NatsDurableLog.open(run.transport(server.url()), config().maxEntries(3).build())) {
      for (int i = 1; i <= 3; i++) {
        assertThat(value(append(log, "e" + i))).isEqualTo(i);
      }
      assertThat(failure(append(log, "e4")).reason()).isEqualTo(Reason.FULL);
      value(log.purgeThrough(1));
      assertThat(value(append(log, "e4"))).isEqualTo(4);
      LogFacts facts = value(log.facts());
      assertThat(facts.maxEntries()).isEqualTo(3);
      assertThat(facts.retention()).isEqualTo(Duration.ofHours(1));
    }
  }

  @Test
  void shouldSayThatServersDiskIsTooSmall() {
    try (NatsServer server = NatsServer.startWithStorage(storage);
        NatsDurableLog log =
            NatsDurableLog.open(
                run.transport(server.url()), config().maxBytes(Long.MAX_VALUE / 4).build())) {
      assertThat(failure(append(log, "a")).reason()).isEqualTo(Reason.FULL);
    }
  }

  @Test
  void shouldKeepStreamsOfNamespacesAndComponentsApart() {
    try (NatsServer server = NatsServer.startWithStorage(storage)) {
      NatsTransport transport = run.transport(server.url());
      List<DurableStreamConfig> scopes =
          List.of(
              DurableStreamConfig.builder("a", "x").maxBytes(1 << 20).build(),
              DurableStreamConfig.builder("a", "y").maxBytes(1 << 20).build(),
              DurableStreamConfig.builder("ab", "x").maxBytes(1 << 20).build(),
              DurableStreamConfig.builder("ab", "y").maxBytes(1 << 20).build());
      for (DurableStreamConfig scope : scopes) {
        try (NatsDurableLog log = NatsDurableLog.open(transport, scope)) {
          assertThat(value(append(log, "one"))).isEqualTo(1);
        }
      }
    }
  }

  @Test
  void shouldReadOnWhereItWasAfterServerWasKilledAndCameBackWithItsStorage() {
    NatsServer first = NatsServer.startWithStorage(storage);
    try (NatsProxy proxy = NatsProxy.to(first)) {
      NatsTransport transport = run.transport(proxy.url());
      NatsDurableLog log = NatsDurableLog.open(transport, interrupted().build());
      LogProbe probe = new LogProbe();
      log.consume("reader", 1, run.lane(), probe);
      value(append(log, "before"));
      eventually(() -> probe.entries.size() == 1);
      proxy.retargetNowhere();
      first.kill();
      // Until the loss is noticed a call may go out on the connection that is broken.
      eventually(() -> transport.status().disconnects() > 0);
      CompletableFuture<Long> waiting = append(log, "while away").toCompletableFuture();
      try (NatsServer second = NatsServer.startWithStorage(storage)) {
        proxy.retarget(second);
        long sequence =
            NatsRun.get(waiting.exceptionallyCompose(away -> append(log, "while away")));
        eventually(() -> probe.entries.size() == 2);
        assertThat(probe.entries.get(1).sequence()).isEqualTo(sequence);
        assertThat(probe.failures).isEmpty();
      }
      log.close();
    } finally {
      first.close();
    }
  }

  @Test
  void shouldReadEntryThatGotLostWithItsConnectionThoughNoneFollows() throws Exception {
    try (NatsServer server = NatsServer.startWithStorage(storage);
        NatsProxy proxy = NatsProxy.to(server);
        NatsDurableLog log = NatsDurableLog.open(run.transport(server.url()), config().build());
        NatsDurableLog far = NatsDurableLog.open(run.transport(proxy.url()), impatient())) {
      LogProbe probe = new LogProbe();
      far.consume("reader", 1, run.lane(), probe);
      value(append(log, "one"));
      eventually(() -> probe.entries.size() == 1);
      proxy.stopForwarding();
      value(append(log, "two"));
      // The server has sent it, unless all requests have run out on a machine that is too busy.
      JetStreamManagement management = run.peer(server.url()).jetStreamManagement();
      String stream = config().build().stream();
      for (int i = 0; i < 100 && delivered(management, stream) < 2; i++) {
        value(log.facts());
      }
      proxy.cut();
      eventually(() -> probe.entries.size() == 2);
      assertThat(probe.failures).isEmpty();
    }
  }

  private static long delivered(JetStreamManagement management, String stream) throws Exception {
    return management.getConsumerInfo(stream, "reader").getDelivered().getConsumerSequence();
  }

  /** Calls that are under way when a connection breaks end soon after. */
  private static DurableStreamConfig impatient() {
    return config().requestTimeout(Duration.ofSeconds(3)).build();
  }

  @Test
  void shouldRepeatAcknowledgementThatGotLostWithItsConnection() {
    try (NatsServer server = NatsServer.startWithStorage(storage);
        NatsProxy proxy = NatsProxy.to(server);
        NatsDurableLog log = NatsDurableLog.open(run.transport(server.url()), config().build());
        NatsDurableLog far = NatsDurableLog.open(run.transport(proxy.url()), impatient())) {
      LogProbe probe = new LogProbe();
      LogSubscription reading = far.consume("reader", 1, run.lane(), probe);
      value(append(log, "one"));
      eventually(() -> probe.entries.size() == 1);
      proxy.stopForwarding();
      reading.acknowledge(1);
      // The acknowledgement is on its way before anything that is asked for behind it.
      value(far.facts().exceptionally(lost -> null));
      proxy.cut();
      eventually(() -> value(log.consumers()).get(0).acknowledgedThrough() == 1);
      assertThat(probe.entries).hasSize(1);
    }
  }

  @Test
  void shouldTellReaderWhenServerCameBackWithoutItsStorage() {
    NatsServer first = NatsServer.startWithStorage(storage);
    Path empty = JetStreamExtension.folder();
    try (NatsProxy proxy = NatsProxy.to(first)) {
      NatsTransport transport = run.transport(proxy.url());
      NatsDurableLog log = NatsDurableLog.open(transport, interrupted().build());
      LogProbe probe = new LogProbe();
      log.consume("reader", 1, run.lane(), probe);
      value(append(log, "before"));
      eventually(() -> probe.entries.size() == 1);
      proxy.retargetNowhere();
      first.kill();
      eventually(() -> transport.status().disconnects() > 0);
      try (NatsServer second = NatsServer.startWithStorage(empty)) {
        proxy.retarget(second);
        eventually(() -> !probe.failures.isEmpty());
        assertThat(probe.failures.get(0).reason()).isEqualTo(Reason.CONSUMER_GONE);
        assertThat(value(log.facts()).lastSequence()).isZero();
      }
      log.close();
    } finally {
      first.close();
      JetStreamExtension.delete(empty);
    }
  }
}
