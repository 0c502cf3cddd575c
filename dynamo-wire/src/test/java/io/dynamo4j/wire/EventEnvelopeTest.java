// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventEnvelopeTest {
  /** Publisher 5, sequence 0, one removal: computed apart from the code under test. */
  private static final String DATA =
      "01000000ca85ac7075626c69736865725f6964cf0000000000000005a873657175656e636500ac7075626c6973"
          + "6865645f6174cf0000018bcfe56800a5746f706963a96b762d6576656e7473a77061796c6f6164c4799184a9"
          + "776f726b65725f696407ac73746f726167655f74696572a6646576696365b07265736964656e63795f646f6d"
          + "61696ea6776f726b6572a56576656e7483a86576656e745f696401a46461746181a772656d6f76656481ac62"
          + "6c6f636b5f68617368657391cfffffffffffffffffa764705f72616e6b00";

  private static final String FILTER = "6b762d6576656e7473";
  private static final String FIVE = "0000000000000005";
  private static final String ZERO = "0000000000000000";

  private static List<byte[]> frames(String... hex) {
    List<byte[]> frames = new ArrayList<>();
    for (String each : hex) {
      frames.add(HexFormat.of().parseHex(each));
    }
    return frames;
  }

  @Test
  void shouldReadTheGoldenMessageAndWriteItBack() {
    ZmqEventMessage message = ZmqEventMessage.decode(frames(FILTER, FIVE, ZERO, DATA));

    assertThat(message.filter()).isEqualTo("kv-events");
    EventEnvelope envelope = message.envelope();
    assertThat(envelope.publisherId()).isEqualTo(5);
    assertThat(envelope.publishedAtMillis()).isEqualTo(1_700_000_000_000L);
    assertThat(envelope.topic()).isEqualTo("kv-events");
    assertThat(RouterEventCodec.decode(envelope.payload()).events()).hasSize(1);
    assertThat(message.encode())
        .usingRecursiveComparison()
        .isEqualTo(frames(FILTER, FIVE, ZERO, DATA));
  }

  @Test
  void shouldReadTheTwoFramesOfTheFirstGeneration() {
    assertThat(ZmqEventMessage.decode(frames(FILTER, DATA)).envelope().publisherId()).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource({
    "02, 01, MALFORMED", // version
    "01000000ca, 01000000cb, TRUNCATED", // longer than what follows
    "01000000ca, 01ffffffff, TRUNCATED",
    "01000000ca, 01000000c9, TRUNCATED", // cuts the envelope
    "85ac, 84ac, TRAILING_BYTES",
    "c479, c47a, TRUNCATED",
    "a87365, a87366, MALFORMED" // no sequence
  })
  void shouldRefuseDamagedData(String good, String bad, Reason reason) {
    String data = bad.equals("01") ? good + DATA.substring(2) : DATA.replaceFirst(good, bad);
    assertThatThrownBy(() -> ZmqEventMessage.decode(frames(FILTER, FIVE, ZERO, data)))
        .isInstanceOfSatisfying(
            WireFormatException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void shouldRefuseFramesThatContradictTheEnvelope() {
    assertThatThrownBy(() -> ZmqEventMessage.decode(frames(FILTER, ZERO, ZERO, DATA)))
        .hasMessageContaining("contradict");
    assertThatThrownBy(() -> ZmqEventMessage.decode(frames(FILTER, FIVE, "00", DATA)))
        .hasMessageContaining("contradict");
    assertThatThrownBy(() -> ZmqEventMessage.decode(frames(FILTER, FIVE, DATA)))
        .hasMessageContaining("event frames 3");
    assertThatThrownBy(() -> ZmqEventMessage.decode(frames(FILTER, "0100")))
        .hasMessageContaining("TRUNCATED");
  }

  @Test
  void shouldPassOverFieldsOfLaterVersionsInAnyOrder() {
    EventEnvelope envelope = EventEnvelope.of(-1, -2, 3, "t", new byte[300]);
    String hex = HexFormat.of().formatHex(EventEnvelopeCodec.encode(envelope));
    String later = "86" + "af7075626c69736865645f61745f6e7301" + hex.substring(2);

    EventEnvelope back = EventEnvelopeCodec.decode(HexFormat.of().parseHex(later));
    assertThat(back.publisherId()).isEqualTo(-1);
    assertThat(back.sequence()).isEqualTo(-2);
    assertThat(back.payload()).hasSize(300);
  }

  @Property(tries = 500)
  void shouldReturnWhatWasWritten(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    byte[] payload = new byte[random.nextInt(70_000)];
    EventEnvelope envelope =
        EventEnvelope.of(
            random.nextLong(), random.nextLong() >>> random.nextInt(64), 7, "t", payload);
    EventEnvelope back =
        ZmqEventMessage.decode(ZmqEventMessage.of("f", envelope).encode()).envelope();
    assertThat(back)
        .usingRecursiveComparison()
        .withEqualsForType(Arrays::equals, byte[].class)
        .isEqualTo(envelope);
  }

  @Property(tries = 2_000)
  void shouldThrowNothingButItsOwnErrorOnDamagedData(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    byte[] data = HexFormat.of().parseHex(DATA);
    data[random.nextInt(data.length)] = (byte) random.nextInt(256);
    try {
      assertThat(ZmqEventMessage.decode(List.of(new byte[0], data)).envelope()).isNotNull();
    } catch (WireFormatException e) {
      assertThat(e.reason()).isNotNull();
    }
  }
}
