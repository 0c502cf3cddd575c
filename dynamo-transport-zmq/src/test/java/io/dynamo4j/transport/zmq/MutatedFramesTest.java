// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.testing.Mutations;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.indexer.engine.EngineEventStatus;
import io.dynamo4j.wire.EngineMessage;
import io.dynamo4j.wire.KvEventsConfig;
import io.dynamo4j.wire.PulledEngineEvent;
import io.dynamo4j.wire.RouterEventCodec;
import io.dynamo4j.wire.WireFormatException;
import io.dynamo4j.wire.ZmqEventMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Recorded messages with a few bytes changed, cut, doubled or glued to others: whatever a peer
 * sends, a decoder either reads it or says why not, and what it counts adds up.
 *
 * <p>{@code -Ddynamo4j.mutations=1000000} makes as many of each kind.
 */
class MutatedFramesTest {
  private static final int MUTATIONS = Mutations.count(50_000);

  private final Mutations mutations = Mutations.seeded(42);

  @Test
  void shouldSurviveMutatedBatchesOfEngines() throws IOException {
    List<List<byte[]>> recorded = engineMessages();
    assertThat(recorded).hasSizeGreaterThan(80);
    EngineEventNormalizer normalizer = EngineEventNormalizer.builder(1, 4).build();
    long refused = 0;
    long read = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      List<byte[]> frames = mutated(recorded.get(mutations.nextInt(recorded.size())), recorded);
      try {
        EngineMessage message =
            frames.size() == 3
                ? EngineMessage.ofPublished(frames)
                : EngineMessage.ofReplayed(frames);
        normalizer.normalize(message.payload());
        read++;
      } catch (WireFormatException e) {
        assertThat(e.reason()).isNotNull();
        refused++;
      }
    }
    EngineEventStatus status = normalizer.status();
    assertThat(read + refused).isEqualTo(MUTATIONS);
    assertThat(status.messages()).isEqualTo(read);
    assertThat(status.unreadableMessages()).isBetween(1L, read);
    assertThat(status.rejected()).isPositive();
    assertThat(status.acceptedEvents()).isPositive();
  }

  @Test
  void shouldSurviveMutatedMessagesOfTheEventPlane() throws IOException {
    List<List<byte[]>> recorded = planeMessages();
    assertThat(recorded).hasSizeGreaterThan(50);
    int read = 0;
    int refused = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      List<byte[]> frames = mutated(recorded.get(mutations.nextInt(recorded.size())), recorded);
      try {
        ZmqEventMessage message = ZmqEventMessage.decode(frames);
        RouterEventCodec.decode(message.envelope().payload());
        read++;
      } catch (WireFormatException e) {
        assertThat(e.reason()).isNotNull();
        refused++;
      }
    }
    assertThat(read).isPositive();
    assertThat(refused).isPositive();
  }

  @Test
  void shouldSurviveMutatedJson() {
    List<List<byte[]>> texts =
        List.of(
            List.of(
                utf8(
                    "[{\"event_id\": 3, \"window_size\": 128, \"data\": {\"type\": \"stored\","
                        + " \"blocks\": [{\"block_hash\": 7, \"tokens\": [{\"token_id\":"
                        + " 1}]}]}}]")),
            List.of(
                utf8(
                    "{\"enable_kv_cache_events\": true, \"publisher\": \"zmq\", \"endpoint\":"
                        + " \"tcp://*:5557\", \"buffer_steps\": 10000}")));
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] text = mutated(texts.get(mutations.nextInt(2)), texts).get(0);
      try {
        PulledEngineEvent.read(text);
        KvEventsConfig.parse(new String(text, StandardCharsets.UTF_8));
      } catch (WireFormatException | IllegalArgumentException e) {
        assertThat(e).hasMessageStartingWith("cannot ");
      }
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a message with one frame changed, now and then with a frame less. */
  private List<byte[]> mutated(List<byte[]> message, List<List<byte[]>> others) {
    List<byte[]> frames = new ArrayList<>(message);
    int at = mutations.nextInt(frames.size());
    List<byte[]> other = others.get(mutations.nextInt(others.size()));
    if (frames.size() > 1 && mutations.nextInt(50) == 0) {
      frames.remove(at);
    } else {
      byte[] donor = other.get(mutations.nextInt(other.size()));
      frames.set(at, mutations.of(frames.get(at), donor));
    }
    return frames;
  }

  private static List<List<byte[]>> engineMessages() throws IOException {
    List<List<byte[]>> messages = new ArrayList<>(RecordedFrames.published());
    RecordedFrames.replayed().values().forEach(messages::addAll);
    return messages;
  }

  private static List<List<byte[]>> planeMessages() throws IOException {
    List<List<byte[]>> messages = new ArrayList<>();
    ObjectMapper json = new ObjectMapper();
    for (String file : List.of("main-file-tcp-zmq", "broker", "relay")) {
      Path path = SharedData.golden("wire/events-zmq/" + file + ".jsonl");
      try (Stream<String> lines = Files.lines(path)) {
        for (String line : lines.filter(l -> l.contains("kv-events")).limit(100).toList()) {
          messages.add(RecordedFrames.frames(json.readTree(line).get("frames")));
        }
      }
    }
    return messages;
  }
}
