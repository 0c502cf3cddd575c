// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.testkit.contract.TextClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Two thousand streams open at one time over one worker. */
class ManyStreamsTest {
  private static final int STREAMS = 2_000;
  private static final int ITEMS = 10;

  @Test
  void shouldKeepTwoThousandStreamsOpenAndApart() throws Exception {
    ConcurrentLinkedQueue<ResponseSink<String>> sinks = new ConcurrentLinkedQueue<>();
    try (RealLanes lanes = RealLanes.pooled(3);
        TcpRequestPlane<String, String> plane =
            TcpRequestPlane.builder(TextCodec.INSTANCE, lanes.environment()).build()) {
      WorkerInstance instance = WorkerInstance.builder(1, plane.address("worker")).build();
      var served =
          plane.serve(
              instance,
              (id, request, sink) -> {
                sink.next(request);
                sinks.add(sink);
              });
      List<TextClient> clients = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        TextClient client = TextClient.unbounded();
        Attempt attempt = Attempt.builder("request-" + i, lanes.lanes().lane("client")).build();
        plane.send(instance, "stream-" + i, attempt).subscribe(client);
        clients.add(client);
      }
      Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> sinks.size() == STREAMS);
      assertThat(served.openStreamCount()).isEqualTo(STREAMS);
      assertThat(plane.openRequestCount()).isEqualTo(STREAMS);
      assertThat(plane.dialCount()).isLessThanOrEqualTo(100);
      for (ResponseSink<String> sink : sinks) {
        for (int i = 1; i < ITEMS; i++) {
          sink.next("item-" + i);
        }
        sink.complete();
      }
      for (int i = 0; i < STREAMS; i++) {
        TextClient client = clients.get(i);
        assertThat(client.awaitEnd()).isNull();
        List<String> expected = new ArrayList<>(List.of("stream-" + i));
        IntStream.range(1, ITEMS).forEach(item -> expected.add("item-" + item));
        assertThat(client.items()).isEqualTo(expected);
      }
      assertThat(served.openStreamCount()).isZero();
      assertThat(plane.openRequestCount()).isZero();
    }
  }
}
