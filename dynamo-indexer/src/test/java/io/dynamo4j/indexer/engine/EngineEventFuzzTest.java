// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.AllocationMeter;
import io.dynamo4j.core.testing.Mutations;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.wire.RouterEventCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Recorded messages of real engines, damaged: nothing breaks, nothing takes more memory than the
 * message is worth, and every event is accounted for.
 *
 * <p>System property {@code dynamo4j.mutations} sets the number of messages.
 */
class EngineEventFuzzTest {
  private static final int MESSAGES = Mutations.count(100_000);
  private static final Pattern PAYLOAD = Pattern.compile("\"(9[0-9a-f]{20,4000})\"");
  private static final long SEED = 20_261_130;

  /** Bytes that one byte of a message may take: 16 a block of one byte, and buffers that grow. */
  private static final int BYTES_PER_BYTE = 64;

  private static final int BYTES_PER_MESSAGE = 32 << 10;

  /** Messages in which classes are still loaded. */
  private static final int WARM_UP = 1_000;

  private final RandomSource random = RandomSource.seeded(SEED);

  private static List<byte[]> recorded() throws IOException {
    try (Stream<Path> files = Files.list(SharedData.golden("engine-frames"))) {
      return files
          .filter(path -> path.toString().endsWith(".json"))
          .sorted()
          .flatMap(path -> PAYLOAD.matcher(text(path)).results())
          .map(result -> result.group(1))
          .filter(hex -> hex.length() % 2 == 0)
          .distinct()
          .map(HexFormat.of()::parseHex)
          .toList();
    }
  }

  private static String text(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldSurviveDamagedMessages() throws IOException {
    List<byte[]> recorded = recorded();
    assertThat(recorded).hasSizeGreaterThan(80);
    AllocationMeter meter = AllocationMeter.create();
    EngineEventNormalizer normalizer =
        EngineEventNormalizer.builder(1, 4).maxBlocks(10_000).random(random).build();
    long published = 0;

    for (int i = 0; i < MESSAGES; i++) {
      byte[] message = damaged(recorded.get(random.nextInt(recorded.size())));
      List<RouterEvent> out = new ArrayList<>();
      long bytes = meter.bytesOfOneRun(() -> out.addAll(normalizer.normalize(message)));
      if (i > WARM_UP && bytes > BYTES_PER_MESSAGE + (long) BYTES_PER_BYTE * message.length) {
        fail("message takes too much: i=%d, seed=%d, bytes=%d", i, SEED, bytes);
      }
      published += out.size();
      if (i % 1_000 == 0) {
        // What comes out is fit to be sent on.
        assertThat(RouterEventCodec.decode(RouterEventCodec.encode(out)).rejected()).isZero();
        normalizer.reset();
      }
    }

    EngineEventStatus status = normalizer.status();
    assertThat(status.messages()).isEqualTo(MESSAGES);
    assertThat(published).isEqualTo(normalizer.lastEventId());
    assertThat(status.unreadableMessages()).isBetween(MESSAGES / 100L, MESSAGES / 2L);
    assertThat(status.acceptedEvents()).isGreaterThan(MESSAGES / 20L);
    assertThat(status.rejected()).isGreaterThan(MESSAGES / 20L);
  }

  private byte[] damaged(byte[] message) {
    byte[] bytes = message.clone();
    for (int flips = random.nextInt(4); flips >= 0; flips--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        // Codes of long values, so that declared lengths lie.
        case 2 -> bytes[at] = (byte) (0xc4 + random.nextInt(28));
        default -> bytes = cut(bytes, at);
      }
    }
    return bytes;
  }

  /** Takes a piece out or doubles it. */
  private byte[] cut(byte[] bytes, int at) {
    int end = Math.min(at + 1 + random.nextInt(8), bytes.length);
    boolean isDoubled = bytes.length < 8_192 && random.nextInt(2) == 0;
    if (!isDoubled && end - at == bytes.length) {
      return bytes;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(bytes, 0, isDoubled ? end : at);
    out.write(bytes, isDoubled ? at : end, bytes.length - (isDoubled ? at : end));
    return out.toByteArray();
  }
}
