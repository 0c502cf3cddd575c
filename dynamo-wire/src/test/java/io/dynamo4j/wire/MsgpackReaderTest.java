// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import java.io.IOException;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;

/** The ways over many values at once against those over one at a time. */
class MsgpackReaderTest {
  private static final String FAILED = "failed";

  /** Of the codes below, those of unsigned numbers of up to 32 bits. */
  private static final int USUAL_CODES = 5;

  private static final int[] NUMBER_CODES = {
    0, 0x7f, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd1, 0xd2, 0xd3, 0xe0, 0xc0, 0x91, 0xca
  };

  @Property(tries = 2_000)
  void shouldReadNumbersTogetherAsOneByOne(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    byte[] bytes = randomNumbers(random);
    int count = random.nextInt(12);
    int[] together = new int[12];
    int[] single = new int[12];

    assertThat(outcome(bytes, in -> in.readBits32(together, count)))
        .isEqualTo(
            outcome(
                bytes,
                in -> {
                  for (int i = 0; i < count; i++) {
                    single[i] = in.readBits32();
                  }
                }));
    assertThat(together).isEqualTo(single);
  }

  private static byte[] randomNumbers(RandomSource random) {
    boolean isUsual = random.nextInt(5) > 0;
    int codes = isUsual ? USUAL_CODES : NUMBER_CODES.length;
    byte[] bytes = new byte[random.nextInt(40)];
    for (int i = 0; i < bytes.length; i++) {
      boolean isCode = random.nextInt(3) == 0;
      bytes[i] =
          (byte)
              (isCode ? NUMBER_CODES[random.nextInt(codes)] : random.nextInt(isUsual ? 128 : 256));
    }
    return bytes;
  }

  @Property(tries = 5_000)
  void shouldSkipAsAnotherReaderDoes(@ForAll long seed) throws IOException {
    byte[] bytes = randomValues(RandomSource.seeded(seed));
    String skipped = outcome(bytes, MsgpackReader::skip);
    String measured = outcome(bytes, MsgpackReaderTest::skipMeasured);

    assertThat(skipped.matches("\\d+") ? skipped : FAILED).isEqualTo(skippedByAnother(bytes));
    assertThat(measured).isEqualTo(skipped);
  }

  private static void skipMeasured(MsgpackReader in) {
    measure(in);
    in.skip();
  }

  private static String skippedByAnother(byte[] bytes) throws IOException {
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(bytes)) {
      in.skipValue();
      return Long.toString(in.getTotalReadBytes());
    } catch (MessagePackException e) {
      return FAILED;
    }
  }

  @Property(tries = 5_000)
  void shouldSkipPartsOfAMeasuredValueAsBefore(@ForAll long seed) {
    byte[] bytes = randomValues(RandomSource.seeded(seed));

    assertThat(outcome(bytes, in -> skipItems(in, true)))
        .isEqualTo(outcome(bytes, in -> skipItems(in, false)));
  }

  private static void skipItems(MsgpackReader in, boolean isMeasured) {
    if (isMeasured) {
      measure(in);
    }
    int items = in.readArrayHeader();
    for (int i = 0; i < items; i++) {
      in.skip();
    }
  }

  private static void measure(MsgpackReader in) {
    try {
      in.depth();
    } catch (WireFormatException e) {
      in.seek(0);
    }
  }

  /** Returns where the cursor is in the end, or why it did not get there. */
  private static String outcome(byte[] bytes, Consumer<MsgpackReader> reading) {
    MsgpackReader in = MsgpackReader.of(bytes);
    try {
      reading.accept(in);
      return Integer.toString(in.position());
    } catch (WireFormatException e) {
      return e.reason().toString();
    }
  }

  private static byte[] randomValues(RandomSource random) {
    byte[] bytes = new byte[1 + random.nextInt(60)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] =
          (byte)
              switch (random.nextInt(6)) {
                case 0 -> 0x90 + random.nextInt(6);
                case 1 -> 0x80 + random.nextInt(3);
                case 2 -> 0xa0 + random.nextInt(4);
                case 3 -> 0xc0 + random.nextInt(32);
                default -> random.nextInt(8);
              };
    }
    bytes[0] = (byte) (0x90 + random.nextInt(6));
    return bytes;
  }
}
