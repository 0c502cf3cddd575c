// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

class JsonValuesTest {

  private static Value value(byte[] msgpack) throws IOException {
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(msgpack)) {
      Value value = in.unpackValue();
      assertThat(in.hasNext()).isFalse();
      return value;
    }
  }

  private static byte[] pack(Value value) throws IOException {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packValue(value);
      return out.toByteArray();
    }
  }

  @Test
  void shouldRefuseBytesOfNoKnownEncoding() {
    for (byte[] bytes :
        List.of(new byte[] {0, 0, '{', 0}, new byte[] {0, 0, 0, '{', 0x7f, 0, 0, 0})) {
      assertThatThrownBy(() -> JsonValues.toMsgpack(bytes))
          .isInstanceOfSatisfying(
              WireFormatException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MALFORMED));
    }
  }

  @Property(tries = 1_000)
  void shouldReturnEveryValueByWayOfJson(@ForAll long seed) throws IOException {
    Value value = randomValue(RandomSource.seeded(seed), 0);
    byte[] json = JsonValues.toJson(pack(value));
    // The other library shows values as JSON too.
    assertThat(new String(json, StandardCharsets.UTF_8)).isEqualTo(value.toJson());
    assertThat(value(JsonValues.toMsgpack(json))).isEqualTo(value);
  }

  private static Value randomValue(RandomSource random, int depth) {
    int kinds = depth < 4 ? 7 : 5;
    switch (random.nextInt(kinds)) {
      case 0 -> {
        return ValueFactory.newNil();
      }
      case 1 -> {
        return ValueFactory.newBoolean(random.nextInt(2) == 0);
      }
      case 2 -> {
        return ValueFactory.newInteger(random.nextLong() >> random.nextInt(64));
      }
      case 3 -> {
        return ValueFactory.newInteger(
            new BigInteger(Long.toUnsignedString(random.nextLong() | Long.MIN_VALUE)));
      }
      case 4 -> {
        return ValueFactory.newString("t\"\\\u00e9" + random.nextInt(100));
      }
      case 5 -> {
        List<Value> items = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
          items.add(randomValue(random, depth + 1));
        }
        return ValueFactory.newArray(items);
      }
      default -> {
        Map<Value, Value> entries = new LinkedHashMap<>();
        for (int i = random.nextInt(20); i > 0; i--) {
          entries.put(ValueFactory.newString("k" + i), randomValue(random, depth + 1));
        }
        return ValueFactory.newMap(entries);
      }
    }
  }

  @Test
  void shouldKeepFractions() throws IOException {
    assertThat(value(JsonValues.toMsgpack("[1.5,-0.25]".getBytes(StandardCharsets.UTF_8))).toJson())
        .isEqualTo("[1.5,-0.25]");
  }

  @ParameterizedTest
  @CsvSource({
    "'', TRUNCATED",
    "'[1', TRUNCATED",
    "'[1] 2', TRAILING_BYTES",
    "18446744073709551616, MALFORMED",
    "-9223372036854775809, MALFORMED",
    "'{\"a\":1,\"a\":2}', MALFORMED",
    "'[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]', TOO_LARGE",
    "nul, MALFORMED"
  })
  void shouldRefuseWhatIsNoBoundedJson(String json, Reason reason) {
    assertThatThrownBy(() -> JsonValues.toMsgpack(json.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOfSatisfying(
            WireFormatException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @ParameterizedTest
  @CsvSource({"c40101, MALFORMED", "8101c0, MALFORMED", "c0c0, TRAILING_BYTES", "92c0, TRUNCATED"})
  void shouldRefuseWhatJsonLacks(String hex, Reason reason) {
    byte[] msgpack = HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> JsonValues.toJson(msgpack))
        .isInstanceOfSatisfying(
            WireFormatException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
