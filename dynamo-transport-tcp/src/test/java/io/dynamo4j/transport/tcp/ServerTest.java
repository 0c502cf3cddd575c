// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.TcpRequestFrame;
import io.dynamo4j.wire.TcpTarget;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a served endpoint makes of callers on plain sockets. */
class ServerTest {
  private static final byte[] NO_BYTES = new byte[0];

  private final RealLanes lanes = RealLanes.pooled(3);
  private final CompletableFuture<ResponseSink<String>> sink = new CompletableFuture<>();
  private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
  private @Nullable TcpRequestPlane<String, String> plane;

  private TcpRequestPlane<String, String> plane() {
    return Objects.requireNonNull(plane, "plane");
  }

  @AfterEach
  void stop() {
    plane().close();
    lanes.close();
  }

  private TcpTarget serve(TcpOptions options) {
    plane =
        TcpRequestPlane.builder(TextCodec.INSTANCE, lanes.environment()).options(options).build();
    WorkerInstance instance = WorkerInstance.builder(1, plane().address("worker")).build();
    plane()
        .serve(
            instance,
            (id, request, answer) -> {
              answer.onCancel(() -> cancelled.complete(null));
              sink.complete(answer);
            });
    return Objects.requireNonNull(TcpTarget.of(instance.address()));
  }

  private static byte[] request(String path, RawPeer caller) {
    byte[] control =
        new RequestControl("id", PayloadFormat.JSON, "127.0.0.1:" + caller.port(), "subject")
            .encode();
    return TcpRequestFrame.encode(
        path, NO_BYTES, control, "\"hello\"".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldAnswerInJsonAndEndWithFinalAndSentinel() throws Exception {
    TcpTarget target = serve(TcpOptions.ofDefaults());
    try (RawPeer caller = new RawPeer();
        RawPeer.Connection requests = RawPeer.dial(target.hostAndPort())) {
      requests.write(request("worker", caller));
      assertThat(requests.readReply()).isEmpty();
      try (RawPeer.Connection answer = caller.accept()) {
        assertThat(answer.readHeader())
            .isEqualTo("{\"subject\":\"subject\",\"stream_type\":\"response\"}");
        ResponseSink<String> to = sink.get(60, TimeUnit.SECONDS);
        to.next("a");
        to.complete();
        assertThat(answer.readHeader()).isEqualTo("{\"error\":null}");
        assertThat(answer.readHeader()).isEmpty();
        assertThat(answer.readHeader()).isEmpty();
        assertThat(answer.readHeader()).isEqualTo("\"sentinel\"");
        assertThat(answer.isClosedByPeer()).isTrue();
      }
    }
  }

  @Test
  void shouldRefuseInWordsAndKeepConnection() throws Exception {
    TcpTarget target =
        serve(
            TcpOptions.builder()
                .maxOpenStreams(1)
                .addressPolicy(address -> address.getPort() != 9)
                .build());
    try (RawPeer caller = new RawPeer();
        RawPeer.Connection requests = RawPeer.dial(target.hostAndPort())) {
      requests.write(request("nobody", caller));
      assertThat(requests.readReply()).isEqualTo("Server unavailable: unknown endpoint nobody");
      requests.write(TcpRequestFrame.encode("worker", NO_BYTES, NO_BYTES, NO_BYTES));
      assertThat(requests.readReply()).startsWith("Server unavailable: request cannot be read");
      byte[] forbidden =
          new RequestControl("id", PayloadFormat.JSON, "127.0.0.1:9", "subject").encode();
      requests.write(TcpRequestFrame.encode("worker", NO_BYTES, forbidden, NO_BYTES));
      assertThat(requests.readReply()).startsWith("Server unavailable: address of the answer");
      byte[] named =
          new RequestControl("id", PayloadFormat.JSON, "localhost:80", "subject").encode();
      requests.write(TcpRequestFrame.encode("worker", NO_BYTES, named, NO_BYTES));
      assertThat(requests.readReply()).startsWith("Server unavailable: address of the answer");
      requests.write(request("worker", caller));
      assertThat(requests.readReply()).isEmpty();
      requests.write(request("worker", caller));
      assertThat(requests.readReply()).startsWith("Server overloaded");
    }
  }

  @Test
  void shouldRefuseRequestThatIsTooLargeAndClose() throws Exception {
    TcpTarget target = serve(TcpOptions.builder().maxMessageBytes(1_000).build());
    try (RawPeer.Connection requests = RawPeer.dial(target.hostAndPort())) {
      requests.write(
          ByteBuffer.allocate(9)
              .putShort((short) 1)
              .put((byte) 'x')
              .putShort((short) 0)
              .putInt(1_001)
              .array());
      assertThat(requests.readReply())
          .isEqualTo("Read error: message too large: 1001 bytes (max: 1000 bytes)");
      assertThat(requests.isClosedByPeer()).isTrue();
    }
  }

  @Test
  void shouldStopWorkerWhenCallerSaysStopOrLeaves() throws Exception {
    TcpTarget target = serve(TcpOptions.ofDefaults());
    try (RawPeer caller = new RawPeer();
        RawPeer.Connection requests = RawPeer.dial(target.hostAndPort())) {
      requests.write(request("worker", caller));
      try (RawPeer.Connection answer = caller.accept()) {
        answer.readHeader();
        // A caller that has gone before the worker begins is not worked for, and nothing cancelled.
        ResponseSink<String> to = sink.get(60, TimeUnit.SECONDS);
        answer.header("\"stop\"");
        cancelled.get(60, TimeUnit.SECONDS);
        assertThat(to.next("late")).isFalse();
      }
    }
  }

  @Test
  void shouldBreakStreamWhoseCallerReadsTooSlowly() throws Exception {
    TcpTarget target = serve(TcpOptions.builder().maxUnsentBytes(1 << 20).build());
    try (RawPeer caller = new RawPeer();
        RawPeer.Connection requests = RawPeer.dial(target.hostAndPort())) {
      requests.write(request("worker", caller));
      try (RawPeer.Connection answer = caller.accept()) {
        answer.readHeader();
        ResponseSink<String> to = sink.get(60, TimeUnit.SECONDS);
        String item = "x".repeat(60_000);
        int sent = 0;
        while (to.next(item)) {
          // Beyond the bound and all that the system's own buffers may take.
          assertThat(++sent).isLessThan(10_000);
        }
        cancelled.get(60, TimeUnit.SECONDS);
        assertThat(plane().slowReaderCount()).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldNameAddressThatCannotBeBound() throws Exception {
    serve(TcpOptions.ofDefaults());
    try (RawPeer other = new RawPeer()) {
      TcpOptions taken = TcpOptions.builder().callHomePort(other.port()).build();
      assertThatThrownBy(
              () ->
                  TcpRequestPlane.builder(TextCodec.INSTANCE, lanes.environment())
                      .options(taken)
                      .build())
          .isInstanceOf(DynamoException.class)
          .hasMessageContaining("127.0.0.1:" + other.port());
    }
  }
}
