// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static io.dynamo4j.transport.nats.NatsRun.bytes;
import static io.dynamo4j.transport.nats.NatsRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.TextClient;
import io.dynamo4j.transport.tcp.TcpOptions;
import io.dynamo4j.transport.tcp.TcpPhase;
import io.dynamo4j.transport.tcp.TextCodec;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.TwoPartFrame;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The plane beside peers that use the client itself, and what it does with bad input. */
@ExtendWith(NatsServerExtension.class)
class NatsRequestPlaneTest {
  static final TcpOptions PATIENT =
      NatsRequestPlane.defaultOptions()
          .withBound(TcpPhase.DIAL, NatsRun.PATIENCE)
          .withBound(TcpPhase.ACK, NatsRun.PATIENCE)
          .withBound(TcpPhase.CALL_HOME, NatsRun.PATIENCE);

  private final NatsServer server;
  private final NatsRun run = new NatsRun();
  private final List<NatsRequestPlane<String, String>> planes = new CopyOnWriteArrayList<>();
  private final WorkerInstance worker =
      WorkerInstance.builder(
              -9, NatsRequestPlane.address(-9, run.scope.namespace(), "backend", "generate"))
          .build();

  NatsRequestPlaneTest(NatsServer server) {
    this.server = server;
  }

  @AfterEach
  void close() {
    planes.forEach(NatsRequestPlane::close);
    run.close();
  }

  private NatsTransport connected(String url) {
    NatsTransport transport = run.transport(url);
    run.confirm(transport);
    return transport;
  }

  private NatsRequestPlane<String, String> plane(NatsTransport transport, TcpOptions options) {
    NatsRequestPlane<String, String> plane =
        NatsRequestPlane.builder(TextCodec.INSTANCE, transport).options(options).build();
    planes.add(plane);
    return plane;
  }

  private NatsRequestPlane<String, String> plane() {
    return plane(connected(server.url()), PATIENT);
  }

  private TextClient send(NatsRequestPlane<String, String> plane, String request) {
    return send(plane, worker, request);
  }

  private TextClient send(
      NatsRequestPlane<String, String> plane, WorkerInstance target, String request) {
    TextClient client = TextClient.unbounded();
    Attempt attempt = Attempt.builder("request-7", run.lanes.lane("client")).build();
    plane.send(target, request, attempt).subscribe(client);
    return client;
  }

  private static TcpOptions impatient(TcpPhase phase) {
    return PATIENT.withBound(phase, Duration.ofMillis(50));
  }

  @Test
  void shouldNameEndpointsAsDynamoDoes() {
    assertThat(NatsRequestPlane.address(0x7684a229739d7c2bL, "dynamo", "backend", "generate"))
        .isEqualTo(new Address("nats_tcp+msgpack", "dynamo_backend.generate-7684a229739d7c2b"));
    assertThat(NatsRequestPlane.address(-1, "_My.Fleet", "Back/End", "gen").value())
        .isEqualTo("my_fleet_back_end.gen-ffffffffffffffff");
  }

  @Test
  void shouldAnswerAcrossTwoConnections() throws Exception {
    NatsTransport serving = connected(server.url());
    NatsRequestPlane<String, String> there = plane(serving, PATIENT);
    ServedEndpoint endpoint =
        there.serve(
            worker,
            (id, request, sink) -> {
              sink.next(id);
              sink.next(request);
              sink.complete();
            });
    run.confirm(serving);
    NatsRequestPlane<String, String> here = plane();
    for (int i = 0; i < 50; i++) {
      TextClient client = send(here, "hello-" + i);
      assertThat(client.awaitEnd()).isNull();
      assertThat(client.items()).containsExactly("request-7", "hello-" + i);
    }
    assertThat(endpoint.openStreamCount()).isZero();
    assertThat(here.openRequestCount()).isZero();
    eventually(() -> here.awaitedCount() == 0);
  }

  @Test
  void shouldSendWhatDynamoSends() throws Exception {
    Connection peer = run.peer(server.url());
    Subscription raw = peer.subscribe(worker.address().value(), "q");
    peer.flush(NatsRun.PATIENCE);
    NatsRequestPlane<String, String> plane = plane();
    send(plane, "hello");
    Message message = raw.nextMessage(NatsRun.PATIENCE);
    assertThat(message.getReplyTo()).matches("_INBOX\\.[0-9A-Za-z]{22}\\.[0-9a-f-]{36}");
    assertThat(message.getHeaders().keySet())
        .containsExactlyInAnyOrder("request-id", "x-frontend-send-ts-ns");
    assertThat(message.getHeaders().getFirst("request-id")).isEqualTo("request-7");
    TwoPartFrame parts = TwoPartFrame.decode(message.getData());
    RequestControl control = RequestControl.decode(parts.header());
    assertThat(control.requestId()).isEqualTo("request-7");
    assertThat(control.format()).isEqualTo(PayloadFormat.MSGPACK);
    assertThat(TextCodec.INSTANCE.decodeRequest("", 0, parts.body())).isEqualTo("hello");
  }

  @Test
  void shouldAcknowledgeWithAnEmptyMessage() throws Exception {
    NatsTransport serving = connected(server.url());
    List<ResponseSink<String>> sinks = new CopyOnWriteArrayList<>();
    plane(serving, PATIENT).serve(worker, (id, request, sink) -> sinks.add(sink));
    run.confirm(serving);
    Connection peer = run.peer(server.url());
    CompletableFuture<byte[]> message = new CompletableFuture<>();
    // What a caller sends is taken from a caller of our own.
    Subscription tap = peer.subscribe(worker.address().value());
    peer.flush(NatsRun.PATIENCE);
    TextClient client = send(plane(), "hello");
    message.complete(tap.nextMessage(NatsRun.PATIENCE).getData());
    eventually(() -> sinks.size() == 1);
    Message reply =
        NatsRun.get(
            peer.requestWithTimeout(
                worker.address().value(), NatsRun.get(message), NatsRun.PATIENCE));
    assertThat(reply.getData()).isEmpty();
    assertThat(reply.hasHeaders()).isFalse();
    sinks.get(0).complete();
    assertThat(client.awaitEnd()).isNull();
  }

  @Test
  void shouldFailAtOnceWhenNobodyServes() throws Exception {
    NatsRequestPlane<String, String> plane = plane();
    assertThat(send(plane, "x").awaitErrorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
    assertThat(plane.awaitedCount()).isZero();
  }

  @Test
  void shouldFailAtOnceWithoutAServer() throws Exception {
    try (NatsProxy proxy = NatsProxy.toNowhere()) {
      NatsRequestPlane<String, String> plane = plane(run.transport(proxy.url()), PATIENT);
      assertThat(send(plane, "x").awaitErrorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
    }
  }

  @Test
  void shouldTimeOutWhenNobodyAcknowledgesOrDialsBack() throws Exception {
    Connection peer = run.peer(server.url());
    Subscription silent = peer.subscribe(worker.address().value(), "q");
    peer.flush(NatsRun.PATIENCE);
    NatsTransport transport = connected(server.url());
    NatsRequestPlane<String, String> plane = plane(transport, impatient(TcpPhase.ACK));
    assertThat(send(plane, "x").awaitErrorType()).isEqualTo(ErrorType.CONNECTION_TIMEOUT);
    assertThat(plane.awaitedCount()).isZero();
    assertThat(silent.nextMessage(NatsRun.PATIENCE)).isNotNull();

    NatsRequestPlane<String, String> next = plane(transport, impatient(TcpPhase.CALL_HOME));
    TextClient client = send(next, "x");
    Message message = silent.nextMessage(NatsRun.PATIENCE);
    peer.publish(message.getReplyTo(), new byte[0]);
    assertThat(client.awaitErrorType()).isEqualTo(ErrorType.CONNECTION_TIMEOUT);
  }

  @Test
  void shouldTakeAReplyWithTextAsRefusal() throws Exception {
    Connection peer = run.peer(server.url());
    Subscription raw = peer.subscribe(worker.address().value(), "q");
    peer.flush(NatsRun.PATIENCE);
    TextClient client = send(plane(), "x");
    peer.publish(raw.nextMessage(NatsRun.PATIENCE).getReplyTo(), bytes("Server overloaded: no"));
    assertThat(client.awaitErrorType()).isEqualTo(ErrorType.WORKER_OVERLOADED);
  }

  @Test
  void shouldRefuseARequestThatIsTooLargeForTheServer() throws Exception {
    NatsRequestPlane<String, String> plane = plane();
    assertThat(send(plane, "x".repeat(2 << 20)).awaitErrorType())
        .isEqualTo(ErrorType.INVALID_REQUEST);
    assertThat(send(plane, "x").awaitErrorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
  }

  @Test
  void shouldRefuseByAnAnswerWhenOverloaded() throws Exception {
    NatsTransport serving = connected(server.url());
    List<ResponseSink<String>> sinks = new CopyOnWriteArrayList<>();
    plane(serving, TcpOptions.builder().maxOpenStreams(1).build())
        .serve(worker, (id, request, sink) -> sinks.add(sink));
    run.confirm(serving);
    NatsRequestPlane<String, String> here = plane();
    TextClient first = send(here, "first");
    eventually(() -> sinks.size() == 1);
    assertThat(send(here, "second").awaitErrorType()).isEqualTo(ErrorType.WORKER_OVERLOADED);
    sinks.get(0).complete();
    assertThat(first.awaitEnd()).isNull();
  }

  @Test
  void shouldNeitherAcknowledgeNorMindForeignMessages() throws Exception {
    NatsTransport serving = connected(server.url());
    NatsRequestPlane<String, String> there = plane(serving, PATIENT);
    there.serve(worker, (id, request, sink) -> sink.complete());
    run.confirm(serving);
    Connection peer = run.peer(server.url());
    Subscription replies = peer.subscribe("replies." + run.scope.namespace());
    String subject = worker.address().value();
    peer.publish(subject, "replies." + run.scope.namespace(), bytes("hello?"));
    peer.publish(subject, "replies." + run.scope.namespace(), new byte[0]);
    byte[] elsewhere =
        new RequestControl("r", PayloadFormat.MSGPACK, "192.0.2.1:9", "some-subject").encode();
    peer.publish(
        subject, "replies." + run.scope.namespace(), TwoPartFrame.encode(elsewhere, bytes("x")));
    peer.flush(NatsRun.PATIENCE);
    assertThat(send(plane(), "x").awaitEnd()).isNull();
    // Acknowledgements go out in order: one for a foreign message would have been here by now.
    run.confirm(serving);
    peer.flush(NatsRun.PATIENCE);
    assertThat(replies.getPendingMessageCount()).isZero();
  }

  @Test
  void shouldGoOnWithOpenStreamsWhenTheServerIsKilledAndTakeRequestsAfterwards() throws Exception {
    try (NatsServer first = NatsServer.start();
        NatsProxy proxy = NatsProxy.to(first)) {
      NatsTransport transport = connected(proxy.url());
      NatsRequestPlane<String, String> plane = plane(transport, PATIENT);
      List<ResponseSink<String>> sinks = new CopyOnWriteArrayList<>();
      plane.serve(worker, (id, request, sink) -> sinks.add(sink));
      TextClient open = send(plane, "open");
      eventually(() -> sinks.size() == 1);
      proxy.retargetNowhere();
      first.kill();
      eventually(() -> transport.status().state() != NatsState.CONNECTED);
      assertThat(send(plane, "lost").awaitErrorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
      sinks.get(0).next("still here");
      sinks.get(0).complete();
      assertThat(open.awaitEnd()).isNull();
      assertThat(open.items()).containsExactly("still here");
      try (NatsServer second = NatsServer.start()) {
        proxy.retarget(second);
        eventually(() -> transport.status().state() == NatsState.CONNECTED);
        run.confirm(transport);
        TextClient after = send(plane, "after");
        eventually(() -> sinks.size() == 2);
        sinks.get(1).complete();
        assertThat(after.awaitEnd()).isNull();
      }
    }
  }

  @Test
  void shouldFailOpenRequestsWhenThePlaneCloses() throws Exception {
    NatsRequestPlane<String, String> plane = plane();
    plane.serve(worker, (id, request, sink) -> sink.open());
    TextClient client = send(plane, "x");
    eventually(() -> plane.openRequestCount() == 1);
    plane.close();
    assertThat(client.awaitErrorType()).isEqualTo(ErrorType.CLOSED);
    assertThat(send(plane, "x").awaitErrorType()).isEqualTo(ErrorType.CLOSED);
  }

  @Test
  void shouldRefuseAddressesOfOtherTransportsAndSubjectsThatAreNone() throws Exception {
    NatsRequestPlane<String, String> plane = plane();
    for (Address address :
        List.of(
            new Address("tcp+msgpack", "127.0.0.1:1/x"),
            new Address("nats_tcp+cbor", "a.b"),
            new Address("nats_tcp", "a.*"),
            new Address("nats_tcp", "a b"),
            new Address("nats_tcp", ""))) {
      WorkerInstance other = WorkerInstance.builder(3, address).build();
      assertThat(send(plane, other, "x").awaitErrorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plane.serve(other, (id, request, sink) -> sink.complete()));
    }
  }

  @Test
  void shouldReadTheBoundOfAnAcknowledgement() {
    NatsTransport transport = run.transport(server.url());
    assertThat(NatsRequestPlane.defaultOptions().bound(TcpPhase.ACK))
        .isEqualTo(Duration.ofSeconds(10));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                NatsRequestPlane.builder(TextCodec.INSTANCE, transport)
                    .fromEnvironment(Map.of("DYN_NATS_REQUEST_TIMEOUT_SECS", "soon")))
        .withMessageContaining("DYN_NATS_REQUEST_TIMEOUT_SECS");
  }
}
