// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.wire.EngineMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/** What vLLM 0.19 to 0.33, SGLang 0.5.6 to 0.5.23 and a simulator sent, once more over sockets. */
class RecordedEnginesTest {

  @Test
  void shouldReceiveEveryGenerationByteForByte() throws Exception {
    List<List<byte[]>> recorded = RecordedFrames.published();
    assertThat(recorded).hasSizeGreaterThan(110);
    RecordingListener listener = new RecordingListener();
    try (ZmqRun run = new ZmqRun()) {
      ZMQ.Socket pub = run.peer(SocketType.XPUB);
      ZmqEngineEventSource.builder(ZmqRun.bind(pub)).open(run.zmq, run.lane(), listener);
      assertThat(pub.recv()).isNotNull();
      for (int i = 0; i < recorded.size(); i++) {
        List<byte[]> frames = recorded.get(i);
        String topic = new String(frames.get(0), StandardCharsets.UTF_8);
        ZmqRun.publish(pub, topic, i, frames.get(2));
      }
      eventually(() -> listener.payloads.size() == recorded.size());
    }
    EngineEventNormalizer normalizer = EngineEventNormalizer.builder(1, 4).build();
    for (int i = 0; i < recorded.size(); i++) {
      assertThat(listener.payloads.get(i)).isEqualTo(recorded.get(i).get(2));
      normalizer.normalize(listener.payloads.get(i));
    }
    assertThat(normalizer.status().unreadableMessages()).isZero();
    assertThat(normalizer.status().storedBlocks()).isPositive();
  }

  @Test
  void shouldReadEveryRecordedReplay() throws Exception {
    Map<String, List<List<byte[]>>> replays = RecordedFrames.replayed();
    assertThat(replays).hasSizeGreaterThan(10);
    for (var each : replays.entrySet()) {
      shouldRead(each.getKey(), each.getValue());
    }
  }

  private static void shouldRead(String name, List<List<byte[]>> replies) {
    List<byte[]> batches =
        replies.stream()
            .map(EngineMessage::ofReplayed)
            .filter(message -> !message.isEndOfReplay())
            .map(EngineMessage::payload)
            .toList();
    RecordingListener listener = new RecordingListener();
    try (ZmqRun run = new ZmqRun()) {
      ZMQ.Socket pub = run.peer(SocketType.XPUB);
      ZMQ.Socket router = run.peer(SocketType.ROUTER);
      ZmqEngineEventSource source =
          ZmqEngineEventSource.builder(ZmqRun.bind(pub))
              .replayEndpoint(ZmqRun.bind(router))
              .open(run.zmq, run.lane(), listener);
      eventually(
          () -> {
            byte[] peer = router.recv(ZMQ.DONTWAIT);
            if (peer != null) {
              router.recv();
              router.recv();
              replies.forEach(reply -> send(router, peer, reply));
            }
            return listener.payloads.size() >= batches.size()
                && !source.status().ranks().get(0).isReplaying();
          });
      assertThat(source.status().ranks().get(0).count(EngineSourceCounter.BAD_REPLIES)).isZero();
    }
    assertThat(listener.payloads).as(name).startsWith(batches.toArray(byte[][]::new));
  }

  private static void send(ZMQ.Socket router, byte[] peer, List<byte[]> reply) {
    router.sendMore(peer);
    for (int i = 0; i < reply.size(); i++) {
      router.send(reply.get(i), i == reply.size() - 1 ? 0 : ZMQ.SNDMORE);
    }
  }
}
