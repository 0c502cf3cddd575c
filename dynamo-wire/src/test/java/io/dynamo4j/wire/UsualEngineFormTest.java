// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The reader of usual batches against the one of every form. */
class UsualEngineFormTest {

  @Property(tries = 1_000)
  void shouldReadWhateverIsWrittenAsTheReaderOfEveryFormDoes(@ForAll long seed) {
    byte[] batch = randomBatch(RandomSource.seeded(seed));

    assertThat(isUsual(batch)).as("seed=%d", seed).isTrue();
    assertThat(read(batch)).as("seed=%d", seed).isEqualTo(readByOther(batch));
  }

  @Property(tries = 5_000)
  void shouldAgreeOnDamagedBatches(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    byte[] batch = randomBatch(random);
    for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
      batch[random.nextInt(batch.length)] = (byte) random.nextInt(256);
    }
    if (isUsual(batch)) {
      assertThat(read(batch)).as("seed=%d", seed).isEqualTo(readByOther(batch));
    }
  }

  @Property(tries = 200)
  void shouldTakeNoPartForABatch(@ForAll long seed) {
    byte[] batch = randomBatch(RandomSource.seeded(seed));
    for (int length = 0; length < batch.length; length++) {
      assertThat(isUsual(Arrays.copyOf(batch, length))).as("length=%d", length).isFalse();
    }
  }

  @Property(tries = 200)
  void shouldReadManyBatchesWithOneReader(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    EngineBatchReader reader = EngineBatchReader.create();
    for (int i = 0; i < 10; i++) {
      byte[] usual = randomBatch(random);
      byte[] batch = random.nextInt(2) == 0 ? usual : behind(usual);
      assertThat(EngineSummary.read(reader, batch)).isEqualTo(readByOther(usual));
    }
  }

  @Test
  void shouldTakeWhatVllmWrites() {
    // vLLM 0.24 and 0.33: recorded frames of a store, of which the latter counts in two bytes.
    String event =
        "a474797065ab426c6f636b53746f726564ac626c6f636b5f686173686573926566b1706172656e745f626c6f63"
            + "6b5f68617368c0a9746f6b656e5f696473980102030405060708aa626c6f636b5f73697a6504a76c6f72"
            + "615f6964c0a66d656469756da3475055a96c6f72615f6e616d65c0";
    for (String map : List.of("88", "de0008")) {
      byte[] batch = HexFormat.of().parseHex("93cb41d954fc4010000091" + map + event + "00");
      assertThat(isUsual(batch)).as(map).isTrue();
      assertThat(read(batch)).as(map).isEqualTo(readByOther(batch));
    }
  }

  @Test
  void shouldLeaveWhatSaysMoreToTheOther() {
    int[] tokens = {1, 2, 3, 4};
    long[] hash = {1};
    assertThat(isUsual(writer().loraName("a").storedRoot(hash, tokens, 4).toBytes(0))).isFalse();
    assertThat(isUsual(writer().cacheSalt("s").storedRoot(hash, tokens, 4).toBytes(0))).isFalse();
    assertThat(isUsual(writer().medium("CPU").storedRoot(hash, tokens, 4).toBytes(0))).isFalse();
    assertThat(isUsual(writer().cleared().toBytes(0))).isFalse();
  }

  private static EngineBatchWriter writer() {
    return EngineBatchWriter.create(1_700_000_000.25);
  }

  private static byte[] randomBatch(RandomSource random) {
    EngineBatchWriter batch = writer();
    for (int events = random.nextInt(5); events > 0; events--) {
      long[] hashes = new long[random.nextInt(4) == 0 ? random.nextInt(40) : 1];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = random.nextLong() >>> random.nextInt(64);
      }
      int blockSize = 1 + random.nextInt(20);
      int[] tokens = new int[hashes.length * blockSize];
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = (int) random.nextLong() >>> random.nextInt(32);
      }
      switch (random.nextInt(3)) {
        case 0 -> batch.removed(hashes);
        case 1 -> batch.storedRoot(hashes, tokens, blockSize);
        default -> batch.storedBehind(random.nextLong(), hashes, tokens, blockSize);
      }
    }
    return batch.toBytes((int) random.nextLong() >>> random.nextInt(32));
  }

  private static boolean isUsual(byte[] batch) {
    return new UsualEngineForm(new EngineEvent(), new NotedIntegers()).open(batch) >= 0;
  }

  private static List<String> read(byte[] batch) {
    return EngineSummary.read(EngineBatchReader.create(), batch);
  }

  /** Bytes behind a batch are passed over, and make it one that is not usual. */
  private static List<String> readByOther(byte[] batch) {
    byte[] more = behind(batch);
    assertThat(isUsual(more)).isFalse();
    return read(more);
  }

  private static byte[] behind(byte[] batch) {
    return Arrays.copyOf(batch, batch.length + 1);
  }
}
