// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static io.dynamo4j.transport.nats.NatsRun.TOPIC;
import static io.dynamo4j.transport.nats.NatsRun.bytes;
import static io.dynamo4j.transport.nats.NatsRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPublisher;
import io.nats.client.NKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are not there, go away, come back, or are silent. */
class NatsOutageTest {
  private final NatsRun run = new NatsRun();
  private final List<EventEnvelope> received = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    run.close();
  }

  private NatsEventPlane subscribed(NatsTransport transport) {
    NatsEventPlane plane = NatsEventPlane.builder(transport).build();
    plane.subscribe(run.scope, TOPIC, run.lane(), received::add);
    return plane;
  }

  @Test
  void shouldWaitForAServerThatIsNotThereYetAndSendWhatWasPublished() {
    try (NatsProxy proxy = NatsProxy.toNowhere()) {
      NatsTransport transport = run.transport(proxy.url());
      NatsEventPlane plane = subscribed(transport);
      EventPublisher publisher = plane.publisher(run.scope, TOPIC, 1);
      for (int i = 0; i < 100; i++) {
        publisher.publish(bytes("e" + i));
      }
      eventually(() -> transport.status().failedAttempts() > 2);
      assertThat(transport.status().state()).isEqualTo(NatsState.CONNECTING);
      assertThat(plane.status().pendingEnvelopes()).isEqualTo(100);
      try (NatsServer server = NatsServer.start()) {
        proxy.retarget(server);
        eventually(() -> received.size() == 100);
        assertThat(received).extracting(EventEnvelope::sequence).isSorted();
        assertThat(transport.status().state()).isEqualTo(NatsState.CONNECTED);
        assertThat(transport.status().failedAttempts()).isZero();
      }
    }
  }

  @Test
  void shouldBoundWhatWaitsForAServerAndCountTheRest() {
    try (NatsProxy proxy = NatsProxy.toNowhere()) {
      NatsTransport transport = run.transport(proxy.url());
      NatsEventPlane few = NatsEventPlane.builder(transport).queueCapacity(10).build();
      EventPublisher publisher = few.publisher(run.scope, TOPIC, 1);
      NatsEventPlane small = NatsEventPlane.builder(transport).maxPendingBytes(100).build();
      EventPublisher large = small.publisher(run.scope, TOPIC, 2);
      for (int i = 0; i < 1_000; i++) {
        assertThat(publisher.publish(bytes("e"))).isEqualTo(i);
        large.publish(new byte[30]);
      }
      assertThat(few.status().pendingEnvelopes()).isEqualTo(10);
      assertThat(few.status().count(NatsEventCounter.PUBLISH_DROPS)).isEqualTo(990);
      assertThat(small.status().pendingEnvelopes()).isEqualTo(3);
      assertThat(small.status().count(NatsEventCounter.PUBLISH_DROPS)).isEqualTo(997);
      transport.close();
      assertThat(few.status().count(NatsEventCounter.PUBLISH_DROPS)).isEqualTo(1_000);
    }
  }

  @Test
  void shouldGiveUpAfterAsManyAttemptsAsAllowedAndSayWhy() {
    try (NatsProxy proxy = NatsProxy.toNowhere()) {
      NatsTransport transport =
          run.transport(NatsRun.quick(proxy.url()).maxConnectAttempts(3).build());
      NatsEventPlane plane = subscribed(transport);
      eventually(() -> transport.status().state() == NatsState.FAILED);
      assertThat(transport.status().failedAttempts()).isEqualTo(3);
      DynamoException failure = Objects.requireNonNull(transport.status().lastFailure());
      assertThat(failure.errorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
      assertThat(failure)
          .hasMessageContaining("NATS server cannot be reached")
          .hasMessageContaining("attempt=3");
      plane.publisher(run.scope, TOPIC, 1).publish(bytes("x"));
      eventually(() -> plane.status().count(NatsEventCounter.PUBLISH_DROPS) == 1);
    }
  }

  @Test
  void shouldSayThatCredentialsAreWrongAndNeverShowThem() {
    try (NatsServer server = NatsServer.start("--user", "alice", "--pass", "right")) {
      Map<String, String> environment =
          Map.of(
              "NATS_SERVER", server.url(),
              "NATS_AUTH_USERNAME", "alice",
              "NATS_AUTH_PASSWORD", "hunter2");
      NatsTransport transport =
          run.transport(
              NatsOptions.builder().fromEnvironment(environment).maxConnectAttempts(1).build());
      eventually(() -> transport.status().state() == NatsState.FAILED);
      DynamoException failure = Objects.requireNonNull(transport.status().lastFailure());
      assertThat(failure.errorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
      assertThat(failure).hasMessageContaining("NATS server refuses the credentials");
      assertThat(failure.getMessage()).doesNotContain("hunter2");
    }
  }

  @Test
  void shouldConnectWithUserAndPasswordOrToken() {
    try (NatsServer users = NatsServer.start("--user", "alice", "--pass", "right");
        NatsServer tokens = NatsServer.start("--auth", "s3cret")) {
      NatsTransport byUser =
          run.transport(
              NatsOptions.fromEnvironment(
                  Map.of(
                      "NATS_SERVER", users.url(),
                      "NATS_AUTH_USERNAME", "alice",
                      "NATS_AUTH_PASSWORD", "right")));
      NatsTransport byToken =
          run.transport(
              NatsOptions.fromEnvironment(
                  Map.of("NATS_SERVER", tokens.url(), "NATS_AUTH_TOKEN", "s3cret")));
      run.confirm(byUser);
      run.confirm(byToken);
    }
  }

  @Test
  void shouldConnectWithAnNkeyAndNotWithAnother(@TempDir Path folder) throws Exception {
    NKey known = NKey.createUser(null);
    NKey other = NKey.createUser(null);
    Path config = folder.resolve("nkeys.conf");
    Files.writeString(
        config,
        "authorization { users = [ { nkey: \"" + new String(known.getPublicKey()) + "\" } ] }");
    try (NatsServer server = NatsServer.start("-c", config.toString())) {
      run.confirm(run.transport(nkey(server, known)));
      NatsTransport refused = run.transport(nkey(server, other));
      eventually(() -> refused.status().state() == NatsState.FAILED);
      assertThat(refused.status().lastFailure())
          .hasMessageContaining("NATS server refuses the credentials");
    }
  }

  private static NatsOptions nkey(NatsServer server, NKey key) throws Exception {
    Map<String, String> environment =
        Map.of("NATS_SERVER", server.url(), "NATS_AUTH_NKEY", new String(key.getSeed()));
    return NatsOptions.builder().fromEnvironment(environment).maxConnectAttempts(1).build();
  }

  @Test
  void shouldRefuseACredentialsFileThatIsNotThere() {
    Map<String, String> environment = Map.of("NATS_AUTH_CREDENTIALS_FILE", "no/such/file.creds");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NatsOptions.fromEnvironment(environment))
        .havingCause()
        .withMessageContaining("credentials file cannot be read");
  }

  @Test
  void shouldShowWhatWasMissedWhenTheServerIsKilledUnderLoad() {
    try (NatsServer first = NatsServer.start();
        NatsProxy proxy = NatsProxy.to(first)) {
      NatsEventPlane subscriber = subscribed(run.transport(proxy.url()));
      NatsTransport publishing = run.transport(proxy.url());
      NatsEventPlane plane = NatsEventPlane.builder(publishing).build();
      EventPublisher publisher = plane.publisher(run.scope, TOPIC, 1);
      CompletableFuture<Void> stop = new CompletableFuture<>();
      CompletableFuture<Void> stopped = publishUntil(stop, publisher);
      eventually(() -> received.size() > 100);
      proxy.retargetNowhere();
      first.kill();
      eventually(() -> publishing.status().disconnects() > 0);
      eventually(() -> subscriber.status().connection().disconnects() > 0);
      int before = received.size();
      try (NatsServer second = NatsServer.start()) {
        proxy.retarget(second);
        eventually(() -> received.size() > before + 100);
        stop.complete(null);
        NatsRun.get(stopped);
        long last = publisher.publish(bytes("last"));
        eventually(() -> received.get(received.size() - 1).sequence() == last);
        assertThat(received).extracting(EventEnvelope::sequence).isSorted().doesNotHaveDuplicates();
        // Whatever is not here is known to be missing.
        assertThat(received.size() + subscriber.status().count(NatsEventCounter.MISSED))
            .isEqualTo(last + 1 - received.get(0).sequence());
      }
    }
  }

  private CompletableFuture<Void> publishUntil(
      CompletableFuture<Void> stop, EventPublisher publisher) {
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    var lane = run.lanes.lane("load");
    lane.execute(
        new Runnable() {
          @Override
          public void run() {
            if (stop.isDone()) {
              stopped.complete(null);
              return;
            }
            publisher.publish(bytes("load"));
            lane.schedule(this, 1_000_000);
          }
        });
    return stopped;
  }

  @Test
  void shouldNoticeAServerThatFallsSilentAndComeBack() {
    try (NatsServer server = NatsServer.start();
        NatsProxy proxy = NatsProxy.to(server)) {
      NatsTransport transport =
          run.transport(
              NatsOptions.builder()
                  .clientOptions(
                      NatsRun.client(proxy.url())
                          .pingInterval(Duration.ofSeconds(1))
                          .socketWriteTimeout(Duration.ofSeconds(3))
                          .build())
                  .build());
      NatsEventPlane plane = subscribed(transport);
      EventPublisher publisher = plane.publisher(run.scope, TOPIC, 1);
      publisher.publish(bytes("before"));
      eventually(() -> received.size() == 1);
      proxy.stopForwarding();
      // Publishing into the silence never waits: whatever happens, this thread gets through.
      for (int i = 0; i < 20_000; i++) {
        publisher.publish(new byte[1_000]);
      }
      eventually(() -> transport.status().disconnects() > 0);
      proxy.goOn();
      eventually(() -> transport.status().state() == NatsState.CONNECTED);
      long after = publisher.publish(bytes("after"));
      eventually(
          () -> {
            publisher.publish(bytes("later"));
            return received.get(received.size() - 1).sequence() > after;
          });
      assertThat(received).extracting(EventEnvelope::sequence).isSorted();
    }
  }

  @Test
  void shouldResubscribeOnANewConnectionWhenTheClientHasGivenUp() {
    try (NatsServer first = NatsServer.start();
        NatsProxy proxy = NatsProxy.to(first)) {
      NatsTransport transport =
          run.transport(
              NatsOptions.builder()
                  .clientOptions(NatsRun.client(proxy.url()).maxReconnects(0).build())
                  .retry(Duration.ofMillis(10), Duration.ofMillis(50))
                  .build());
      NatsEventPlane plane = subscribed(transport);
      EventPublisher publisher = plane.publisher(run.scope, TOPIC, 1);
      publisher.publish(bytes("before"));
      eventually(() -> received.size() == 1);
      proxy.retargetNowhere();
      first.kill();
      eventually(() -> transport.status().failedAttempts() > 0);
      try (NatsServer second = NatsServer.start()) {
        proxy.retarget(second);
        publisher.publish(bytes("after"));
        eventually(() -> received.size() == 2);
        assertThat(transport.status().state()).isEqualTo(NatsState.CONNECTED);
      }
    }
  }
}
