// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.Hashing;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BlockHasherTest {
  private static final TokenSlice SIX = TokenSlice.of(0, 1, 2, 3, 4, 5);

  @Test
  void shouldIgnoreATrailingPartialBlock() {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(4));
    assertThat(hasher.hash(range(9))).isEqualTo(hasher.hash(range(8))).hasSize(2);
    assertThat(hasher.hash(range(8)))
        .containsExactly(
            Long.parseUnsignedLong("9143094415614847814"),
            Long.parseUnsignedLong("12124091508212882195"));
  }

  @Test
  void shouldGiveNoHashWhenThePromptIsShorterThanABlock() {
    long[] out = {42};
    assertThat(BlockHasher.of(BlockHashOptions.of(7)).hash(SIX, out)).isZero();
    assertThat(out).containsExactly(42);
  }

  @Test
  void shouldLetWindowsOverlapByOneTokenWithEagle() {
    BlockHasher eagle = BlockHasher.of(BlockHashOptions.builder(2).eagle(true).build());
    BlockHasher three = BlockHasher.of(BlockHashOptions.of(3));
    assertThat(eagle.hash(SIX))
        .containsExactly(three.hash(SIX.slice(0, 3))[0], three.hash(SIX.slice(2, 5))[0]);
    assertThat(IntStream.of(0, 1, 2, 3, 4, 5).map(eagle::blockCount))
        .containsExactly(0, 0, 0, 1, 1, 2);
  }

  @Test
  void shouldHashTheRangeOfASliceOnly() {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(2));
    assertThat(hasher.hash(range(10).slice(3, 7)))
        .isEqualTo(hasher.hash(TokenSlice.of(3, 4, 5, 6)));
  }

  /** Blocks of every size up to 4,096 B, each by an independent implementation. */
  @Test
  void shouldHashEveryBlockOfEverySizeAsItsBytes() {
    RandomSource random = RandomSource.seeded(4);
    int[] tokens = new int[2_100];
    Arrays.setAll(tokens, i -> (int) random.nextLong());
    ByteBuffer bytes = ByteBuffer.allocate(4 * tokens.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(tokens);
    for (int blockSize = 1; blockSize <= 1_024; blockSize++) {
      boolean eagle = random.nextInt(2) == 0;
      BlockHashOptions options =
          BlockHashOptions.builder(blockSize)
              .loraName("a".repeat(random.nextInt(3)))
              .cacheNamespace("n".repeat(random.nextInt(3)))
              .eagle(eagle)
              .build();
      int from = random.nextInt(3);
      long[] hashes = BlockHasher.of(options).hash(TokenSlice.wrap(tokens).slice(from, 2_090));
      assertThat(hashes).hasSizeGreaterThan(0);
      for (int i = 0; i < hashes.length; i++) {
        int offset = 4 * (from + i * blockSize);
        assertThat(hashes[i])
            .as("block %d, %s", i, options)
            .isEqualTo(
                Hashing.xxh3_64(options.seed())
                    .hashBytesToLong(bytes.array(), offset, 4 * (int) options.windowSize()));
      }
    }
  }

  @Test
  void shouldTreatTheSameNameAsLoraAndAsNamespaceDifferently() {
    assertThat(seed("x", "")).isNotEqualTo(seed("", "x")).isNotEqualTo(seed("", ""));
    assertThat(seed("", "")).isEqualTo(1337);
    assertThat(BlockHashOptions.builder(4).loraName(null).cacheNamespace(null).build().seed())
        .isEqualTo(1337);
    assertThat(Long.toUnsignedString(seed("adapter-a", "tenant-a")))
        .isEqualTo("10790858310771630931");
  }

  @Test
  void shouldSortMediaHashesUnsignedAndKeepRepetitions() {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(4));
    long[] out = new long[1];
    long[][] given = {{-1, 7, 5}};
    hasher.hash(TokenSlice.of(0, 1, 2, 3), given, out);
    int[] bytes = {0, 1, 2, 3, 5, 0, 7, 0, -1, -1};
    assertThat(out).containsExactly(XxHash3.hash(bytes, 0, bytes.length, 1337));
    assertThat(given[0]).containsExactly(-1, 7, 5);
    hasher.hash(TokenSlice.of(0, 1, 2, 3), new long[][] {{5, 5}, {1}}, out);
    int[] twice = {0, 1, 2, 3, 5, 0, 5, 0};
    assertThat(out).containsExactly(XxHash3.hash(twice, 0, twice.length, 1337));
    hasher.hash(TokenSlice.of(0, 1, 2, 3), new long[][] {{}}, out);
    assertThat(out).isEqualTo(hasher.hash(TokenSlice.of(0, 1, 2, 3)));
  }

  @Test
  void shouldRefuseABlockSizeThatIsNotPositive() {
    assertThatThrownBy(() -> BlockHashOptions.builder(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockSize=0");
    assertThatThrownBy(() -> BlockHashOptions.of(-16))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockSize=-16");
  }

  @Test
  void shouldRefuseAResultArrayThatIsTooShort() {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(2));
    long[] out = {42, 42};
    assertThatThrownBy(() -> hasher.hash(SIX, out))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("out.length=2")
        .hasMessageContaining("blocks=3");
    assertThat(out).containsExactly(42, 42);
  }

  @Test
  void shouldCountNoBlocksWhenTheBlockIsAsLargeAsAnArrayCanBe() {
    BlockHasher eagle =
        BlockHasher.of(BlockHashOptions.builder(Integer.MAX_VALUE).eagle(true).build());
    assertThat(eagle.blockCount(Integer.MAX_VALUE)).isZero();
    assertThat(BlockHasher.of(BlockHashOptions.of(Integer.MAX_VALUE)).blockCount(Integer.MAX_VALUE))
        .isOne();
    assertThat(eagle.hash(SIX)).isEmpty();
  }

  @Test
  void shouldRefuseANegativeTokenCount() {
    assertThatThrownBy(() -> BlockHasher.of(BlockHashOptions.of(2)).blockCount(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tokenCount=-1");
  }

  @Test
  void shouldChainInPlaceAndStepByStepAlike() {
    long[] local = {11, 22, 33};
    long[] chained = local.clone();
    SequenceHasher.hash(chained, 3, chained);
    assertThat(chained)
        .containsExactly(
            11,
            Long.parseUnsignedLong("750553365844651409"),
            Long.parseUnsignedLong("3257565445809651757"));
    assertThat(SequenceHasher.next(chained[1], 33)).isEqualTo(chained[2]);
    long[] untouched = {5};
    SequenceHasher.hash(local, 0, untouched);
    assertThat(untouched).containsExactly(5);
  }

  @Test
  void shouldRefuseToChainMoreThanTheArraysHold() {
    assertThatThrownBy(() -> SequenceHasher.hash(new long[2], 3, new long[4]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("count=3");
    assertThatThrownBy(() -> SequenceHasher.hash(new long[2], 2, new long[1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("out.length=1");
    assertThatThrownBy(() -> SequenceHasher.hash(new long[2], -1, new long[1]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static long seed(String lora, String namespace) {
    return BlockHashOptions.builder(4).loraName(lora).cacheNamespace(namespace).build().seed();
  }

  private static TokenSlice range(int count) {
    return TokenSlice.wrap(IntStream.range(0, count).toArray());
  }
}
