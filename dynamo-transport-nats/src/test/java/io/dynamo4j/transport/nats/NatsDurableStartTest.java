// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.LogFacts;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Routers and workers of one component that start at the same moment find one stream, although the
 * server refuses some of those that make it at once.
 */
@ExtendWith(JetStreamExtension.class)
class NatsDurableStartTest {
  private static final int CLIENTS = 6;
  private static final int ROUNDS = 20;
  private static final int OVERLAP = 10065;

  private final NatsServer server;
  private final NatsRun run = new NatsRun();

  NatsDurableStartTest(NatsServer server) {
    this.server = server;
  }

  @AfterEach
  void close() {
    run.close();
  }

  private static DurableStreamConfig config(String namespace) {
    return DurableStreamConfig.builder(namespace, "backend")
        .maxBytes(1 << 20)
        .requestTimeout(NatsRun.PATIENCE)
        .build();
  }

  @Test
  void shouldShareStreamThatSeveralMakeAtOnce() {
    List<NatsTransport> transports = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      transports.add(run.transport(server.url()));
    }
    for (int round = 0; round < ROUNDS; round++) {
      DurableStreamConfig config = config("start-" + round);
      List<NatsDurableLog> logs =
          transports.stream().map(each -> NatsDurableLog.open(each, config)).toList();
      List<CompletableFuture<LogFacts>> facts =
          logs.stream().map(each -> each.facts().toCompletableFuture()).toList();
      for (CompletableFuture<LogFacts> each : facts) {
        assertThat(NatsRun.get(each).lastSequence()).as("round %s", round).isZero();
      }
      logs.forEach(NatsDurableLog::close);
    }
  }

  @Test
  void shouldTakeTheStreamThatAnotherMadeMeanwhile() throws Exception {
    Connection peer = run.peer(server.url());
    JetStreamManagement management = peer.jetStreamManagement();
    DurableStreamConfig config = config("start-overtaken");
    new NatsStream(config).ensure(overtaken(management));
    assertThat(management.getStreamInfo(config.stream()).getStreamState().getMsgCount()).isZero();
  }

  @Test
  void shouldMakeNoStreamForWhoLooksOn() {
    DurableStreamConfig config = config("start-observed");
    try (NatsDurableLog onlooker = NatsDurableLog.observe(run.transport(server.url()), config);
        NatsDurableLog log =
            NatsDurableLog.open(
                run.transport(server.url()),
                DurableStreamConfig.builder("start-observed", "backend")
                    .maxBytes(1 << 20)
                    .retention(Duration.ofMinutes(5))
                    .requestTimeout(NatsRun.PATIENCE)
                    .build())) {
      DurableLogException refusal =
          NatsRun.get(
              onlooker
                  .facts()
                  .handle((facts, failure) -> DurableLogException.of(failure))
                  .toCompletableFuture());
      assertThat(refusal.reason()).isEqualTo(DurableLogException.Reason.NOT_FOUND);
      NatsRun.get(log.append("one", new byte[] {1}).toCompletableFuture());
      assertThat(NatsRun.get(onlooker.entryAt(1).toCompletableFuture())).isPresent();
    }
  }

  @Test
  void shouldRefuseSubjectsThatAnotherStreamHas() throws Exception {
    Connection peer = run.peer(server.url());
    JetStreamManagement management = peer.jetStreamManagement();
    DurableStreamConfig config = config("start-foreign");
    management.addStream(
        StreamConfiguration.builder()
            .name("foreign-" + config.stream())
            .subjects(config.stream() + ".*")
            .build());
    assertThatThrownBy(() -> new NatsStream(config).ensure(management))
        .isInstanceOfSatisfying(
            JetStreamApiException.class,
            refusal -> assertThat(refusal.getApiErrorCode()).isEqualTo(OVERLAP));
  }

  /** Makes each stream as another client would, a moment earlier, and refuses it as servers do. */
  private static JetStreamManagement overtaken(JetStreamManagement real) {
    return (JetStreamManagement)
        Proxy.newProxyInstance(
            NatsDurableStartTest.class.getClassLoader(),
            new Class<?>[] {JetStreamManagement.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("addStream")) {
                return refuse(real, (StreamConfiguration) arguments[0]);
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static Object refuse(JetStreamManagement real, StreamConfiguration wanted)
      throws IOException, JetStreamApiException {
    real.addStream(wanted);
    return real.addStream(StreamConfiguration.builder(wanted).name("late").build());
  }
}
