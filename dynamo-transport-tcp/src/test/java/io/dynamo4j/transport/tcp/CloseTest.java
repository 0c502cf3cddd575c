// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.testkit.contract.TextClient;
import io.dynamo4j.wire.TcpTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A closed plane leaves no socket behind, however its threads come to their end. */
class CloseTest {
  private static final int ROUNDS = 60;

  @Test
  void shouldListenNoMoreOnceClosed() {
    try (RealLanes lanes = RealLanes.pooled(3)) {
      for (int round = 0; round < ROUNDS; round++) {
        int port = openAndClose(lanes);
        Awaitility.await("round " + round)
            .atMost(Duration.ofMinutes(1))
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(2))
            .until(() -> isRefused(port));
      }
    }
  }

  private static int openAndClose(RealLanes lanes) {
    try (TcpRequestPlane<String, String> plane =
        TcpRequestPlane.builder(TextCodec.INSTANCE, lanes.environment()).build()) {
      WorkerInstance instance = WorkerInstance.builder(1, plane.address("worker")).build();
      plane.serve(
          instance,
          (id, request, sink) -> {
            sink.next(request);
            sink.complete();
          });
      TextClient client = TextClient.unbounded();
      Attempt attempt = Attempt.builder("request", lanes.lanes().lane("client")).build();
      plane.send(instance, "text", attempt).subscribe(client);
      assertThat(client.awaitEnd()).isNull();
      assertThat(client.items()).isEqualTo(List.of("text"));
      String address = Objects.requireNonNull(TcpTarget.of(instance.address())).hostAndPort();
      return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }
  }

  private static boolean isRefused(int port) {
    try (Socket answered = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return !answered.isConnected();
    } catch (IOException refused) {
      return true;
    }
  }
}
