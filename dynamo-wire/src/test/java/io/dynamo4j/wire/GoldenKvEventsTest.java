// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** Reads every kv-events payload that was recorded from Dynamo 1.6.1 and writes it back. */
class GoldenKvEventsTest {
  // An envelope in hex, from its map header and first key to the end of the string.
  private static final Pattern ENVELOPE = Pattern.compile("85ac7075626c69736865725f6964[0-9a-f]*");
  private static final String TOPIC = "a96b762d6576656e7473";

  @ParameterizedTest
  @ValueSource(strings = {"events-zmq", "events-nats", "engine-to-router"})
  void shouldReadAndWriteBackEveryRecordedPayload(String folder) throws IOException {
    int payloads = 0;
    int events = 0;
    for (String envelope : envelopes(SharedData.golden("wire/" + folder))) {
      byte[] payload = payloadOf(envelope);
      RouterEventBatch batch = RouterEventCodec.decode(payload);
      assertThat(batch.rejected()).isZero();
      if (!hasExtraInfo(payload)) {
        assertThat(RouterEventCodec.encode(batch.events())).isEqualTo(payload);
      }
      payloads++;
      events += batch.events().size();
    }
    assertThat(payloads).isGreaterThan(50);
    assertThat(events).isGreaterThanOrEqualTo(payloads);
  }

  private static List<String> envelopes(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().flatMap(GoldenKvEventsTest::envelopesOf).toList();
    }
  }

  private static Stream<String> envelopesOf(Path file) {
    try {
      return ENVELOPE
          .matcher(Files.readString(file))
          .results()
          .map(result -> result.group())
          .filter(hex -> hex.contains(TOPIC));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] payloadOf(String hex) throws IOException {
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(HexFormat.of().parseHex(hex))) {
      Map<Value, Value> envelope = in.unpackValue().asMapValue().map();
      Value payload =
          envelope.getOrDefault(ValueFactory.newString("payload"), ValueFactory.newNil());
      return payload.asBinaryValue().asByteArray();
    }
  }

  /** Whether some block carries what this library does not keep. */
  private static boolean hasExtraInfo(byte[] payload) {
    Matcher nil =
        Pattern.compile("6d6d5f65787472615f696e666f(..)")
            .matcher(HexFormat.of().formatHex(payload));
    return nil.results().anyMatch(result -> !result.group(1).equals("c0"));
  }
}
