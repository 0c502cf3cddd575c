// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.testkit.contract.TextClient;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.ResponseItem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each phase of a request with a worker that stops there, or does something else. */
class PhasesTest {
  private final RealLanes lanes = RealLanes.pooled(3);
  private RawPeer worker;
  private @Nullable TcpRequestPlane<String, String> plane;

  @BeforeEach
  void start() throws IOException {
    worker = new RawPeer();
  }

  private TcpRequestPlane<String, String> plane() {
    return Objects.requireNonNull(plane, "plane");
  }

  @AfterEach
  void stop() throws IOException {
    plane().close();
    worker.close();
    lanes.close();
  }

  private TextClient send(TcpOptions.Builder options, long demand) {
    open(options);
    return again(demand);
  }

  private void open(TcpOptions.Builder options) {
    plane =
        TcpRequestPlane.builder(TextCodec.INSTANCE, lanes.environment())
            .options(options.build())
            .build();
  }

  private TextClient again(long demand) {
    return sendTo(worker.port(), demand);
  }

  private TextClient sendTo(int port, long demand) {
    WorkerInstance instance =
        WorkerInstance.builder(7, new Address("tcp+msgpack", "127.0.0.1:" + port + "/x")).build();
    TextClient client = TextClient.asking(demand);
    Attempt attempt = Attempt.builder("request", lanes.lanes().lane("client")).build();
    plane().send(instance, "hello", attempt).subscribe(client);
    return client;
  }

  /** One phase ends at once, the others never in the time of a test. */
  private static TcpOptions.Builder only(TcpPhase phase) {
    TcpOptions.Builder options = patient();
    return options.bound(phase, Duration.ofMillis(50));
  }

  private static TcpOptions.Builder patient() {
    TcpOptions.Builder options = TcpOptions.builder();
    for (TcpPhase each : TcpPhase.values()) {
      options.bound(each, Duration.ofMinutes(10));
    }
    return options;
  }

  private static byte[] item(String text) {
    return ResponseItem.encode(TextCodec.INSTANCE.encodeItem(text));
  }

  private record Call(RawPeer.Connection connection, RequestControl control) {}

  /** Reads that many requests before any is acknowledged, so that none finds a connection free. */
  private List<Call> calls(int count) throws IOException {
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      RawPeer.Connection connection = worker.accept();
      calls.add(new Call(connection, connection.readRequest()));
    }
    return calls;
  }

  private RawPeer.Connection callBack(RequestControl control) throws IOException {
    RawPeer.Connection connection = RawPeer.dial(control.address());
    connection.header("{\"subject\":\"" + control.subject() + "\",\"stream_type\":\"response\"}");
    return connection;
  }

  @Test
  void shouldFailWhenWorkerRefusesConnections() throws Exception {
    open(patient());
    // Bound and not listening: nobody else gets the port, not even the plane itself.
    try (Socket deaf = new Socket()) {
      deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      TextClient client = sendTo(deaf.getLocalPort(), 1);
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
    }
  }

  @Test
  void shouldForgetAddressesThatNothingLeadsToAnyMore() throws Exception {
    open(patient());
    try (Socket deaf = new Socket()) {
      deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      TextClient client = sendTo(deaf.getLocalPort(), 1);
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
    }
    TextClient client = again(1);
    try (RawPeer.Connection connection = worker.accept()) {
      connection.readRequest();
      assertThat(plane().peerCount()).isPositive();
    }
    assertThat(client.awaitErrorType()).isEqualTo(ErrorType.DISCONNECTED);
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> plane().peerCount() == 0);
    // The address serves as before.
    TextClient next = again(1);
    try (RawPeer.Connection connection = worker.accept()) {
      connection.readRequest();
    }
    assertThat(next.awaitErrorType()).isEqualTo(ErrorType.DISCONNECTED);
  }

  @Test
  void shouldFailAndCloseConnectionWhenAckDoesNotCome() throws Exception {
    TextClient client = send(only(TcpPhase.ACK), 1);
    try (RawPeer.Connection connection = worker.accept()) {
      connection.readRequest();
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.CONNECTION_TIMEOUT);
      assertThat(connection.isClosedByPeer()).isTrue();
    }
    // The next request has a connection of its own, so that no late reply is taken for its own.
    TextClient next = again(1);
    try (RawPeer.Connection connection = worker.accept()) {
      connection.readRequest();
      assertThat(next.awaitErrorType()).isEqualTo(ErrorType.CONNECTION_TIMEOUT);
    }
    assertThat(plane().dialCount()).isEqualTo(2);
  }

  @Test
  void shouldFailWhenWorkerDoesNotDialBack() throws Exception {
    TextClient client = send(only(TcpPhase.CALL_HOME), 1);
    try (RawPeer.Connection connection = worker.accept()) {
      RequestControl control = connection.readRequest();
      connection.acknowledge("");
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.CONNECTION_TIMEOUT);
      // Who comes too late is told so.
      try (RawPeer.Connection late = callBack(control)) {
        assertThat(late.readHeader()).isEqualTo("\"kill\"");
        assertThat(late.isClosedByPeer()).isTrue();
      }
    }
  }

  @Test
  void shouldFailWhenPrologueDoesNotCome() throws Exception {
    TextClient client = send(only(TcpPhase.PROLOGUE), 1);
    try (RawPeer.Connection connection = worker.accept();
        RawPeer.Connection answer = callBack(connection.readRequest())) {
      connection.acknowledge("");
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.RESPONSE_TIMEOUT);
      assertThat(answer.readHeader()).isEqualTo("\"kill\"");
    }
  }

  @Test
  void shouldFailWhenFirstItemDoesNotCome() throws Exception {
    TextClient client = send(only(TcpPhase.FIRST_ITEM), 1);
    try (RawPeer.Connection connection = worker.accept();
        RawPeer.Connection answer = callBack(connection.readRequest())) {
      connection.acknowledge("");
      answer.header("{\"error\":null}");
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.RESPONSE_TIMEOUT);
      assertThat(answer.readHeader()).isEqualTo("\"kill\"");
    }
  }

  @Test
  void shouldFailAfterItemsWhenWorkerFallsSilent() throws Exception {
    TextClient client = send(only(TcpPhase.NEXT_ITEM), 10);
    try (RawPeer.Connection connection = worker.accept();
        RawPeer.Connection answer = callBack(connection.readRequest())) {
      connection.acknowledge("");
      answer.header("{\"error\":null}");
      answer.body(item("a"));
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.RESPONSE_TIMEOUT);
      assertThat(client.items()).containsExactly("a");
    }
  }

  @Test
  void shouldNotBlameWorkerWhileItemsWaitForSubscriber() throws Exception {
    TextClient client = send(only(TcpPhase.NEXT_ITEM), 0x7fff_ffffL);
    TextClient slow = again(1);
    for (Call call : calls(2)) {
      RawPeer.Connection answer = callBack(call.control());
      call.connection().acknowledge("");
      answer.header("{\"error\":null}");
      answer.bodies(item("a"), item("b"));
    }
    // The one that reads everything times out; the other has an item to take and does not.
    assertThat(client.awaitErrorType()).isEqualTo(ErrorType.RESPONSE_TIMEOUT);
    slow.request(1);
    assertThat(slow.awaitErrorType()).isEqualTo(ErrorType.RESPONSE_TIMEOUT);
    assertThat(slow.items()).containsExactly("a", "b");
  }

  @Test
  void shouldFailAsDisconnectedAfterItemsWhenConnectionBreaks() throws Exception {
    TextClient client = send(patient(), 10);
    try (RawPeer.Connection connection = worker.accept()) {
      RawPeer.Connection answer = callBack(connection.readRequest());
      connection.acknowledge("");
      answer.header("{\"error\":null}");
      answer.body(item("a"));
      answer.body(item("b"));
      answer.close();
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(client.items()).containsExactly("a", "b");
    }
  }

  @Test
  void shouldRefuseEndWithoutFinalItem() throws Exception {
    TextClient client = send(patient(), 10);
    try (RawPeer.Connection connection = worker.accept();
        RawPeer.Connection answer = callBack(connection.readRequest())) {
      connection.acknowledge("");
      answer.header("{\"error\":null}");
      answer.header("\"sentinel\"");
      assertThat(client.awaitErrorType()).isEqualTo(ErrorType.DISCONNECTED);
    }
  }

  @Test
  void shouldCompleteWhenConnectionEndsAfterFinalItem() throws Exception {
    TextClient client = send(patient(), 10);
    try (RawPeer.Connection connection = worker.accept()) {
      RawPeer.Connection answer = callBack(connection.readRequest());
      connection.acknowledge("");
      answer.header("{\"error\":null}");
      answer.body(ResponseItem.encodeFinal());
      answer.close();
      assertThat(client.awaitEnd()).isNull();
    }
  }

  @Test
  void shouldFailWithTypesOfRefusals() throws Exception {
    TextClient client = send(patient(), 1);
    TextClient text = again(1);
    TextClient prologue = again(1);
    List<Call> calls = calls(3);
    for (int i = 0; i < 3; i++) {
      RawPeer.Connection connection = calls.get(i).connection();
      switch (i) {
        case 0 -> connection.acknowledge("Server unavailable: unknown endpoint x");
        case 1 -> connection.acknowledge("something new");
        default -> {
          connection.acknowledge("");
          callBack(calls.get(i).control())
              .header(
                  "{\"error\":\"Generate Error: no\",\"typed_error\":{\"error_type\":"
                      + "\"InvalidArgument\",\"class\":\"InvalidRequest\",\"reason\":"
                      + "\"request.invalid_argument\",\"message\":\"no\"}}");
        }
      }
    }
    assertThat(List.of(client.awaitErrorType(), text.awaitErrorType(), prologue.awaitErrorType()))
        .containsExactlyInAnyOrder(
            ErrorType.CANNOT_CONNECT, ErrorType.WORKER_UNAVAILABLE, ErrorType.INVALID_REQUEST);
  }

  @Test
  void shouldFailAsProtocolFaultWhenAnswerCannotBeRead() throws Exception {
    TextClient client = send(patient(), 10);
    TextClient huge = again(10);
    List<Call> calls = calls(2);
    for (int i = 0; i < 2; i++) {
      RawPeer.Connection answer = callBack(calls.get(i).control());
      calls.get(i).connection().acknowledge("");
      answer.header("{\"error\":null}");
      if (i == 0) {
        answer.body(new byte[] {(byte) 0xc1});
      } else {
        answer.write(ByteBuffer.allocate(24).putLong(0).putLong(1L << 40).array());
      }
    }
    assertThat(client.awaitErrorType()).isEqualTo(ErrorType.BACKEND_PROTOCOL);
    assertThat(huge.awaitErrorType()).isEqualTo(ErrorType.BACKEND_PROTOCOL);
  }

  @Test
  void shouldReuseConnectionOnceAcknowledged() throws Exception {
    TextClient client = send(patient(), 10);
    try (RawPeer.Connection connection = worker.accept()) {
      for (int i = 0; i < 5; i++) {
        RawPeer.Connection answer = callBack(connection.readRequest());
        connection.acknowledge("");
        answer.header("{\"error\":null}");
        answer.body(ResponseItem.encodeFinal());
        answer.header("\"sentinel\"");
        assertThat(client.awaitEnd()).isNull();
        assertThat(answer.isClosedByPeer()).isTrue();
        client = i < 4 ? again(10) : client;
      }
    }
    assertThat(plane().dialCount()).isEqualTo(1);
  }

  @Test
  void shouldDialNoAddressThatPolicyForbids() throws Exception {
    TextClient client = send(patient().addressPolicy(address -> false), 1);
    assertThat(client.awaitErrorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
    assertThat(plane().dialCount()).isZero();
  }
}
