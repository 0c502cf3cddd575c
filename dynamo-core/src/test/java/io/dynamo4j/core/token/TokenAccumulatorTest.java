// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.testing.AllocationMeter;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenAccumulatorTest {
  private static final BlockHasher HASHER = BlockHasher.of(BlockHashOptions.of(4));

  @Test
  void shouldShareThePromptUntilTheFirstAppend() {
    int[] array = {9, 1, 2, 3, 9};
    TokenSlice prompt = TokenSlice.wrap(array, 1, 3);
    TokenAccumulator stream = TokenAccumulator.startingWith(prompt);
    assertThat(stream.snapshot()).isSameAs(prompt);
    stream.append(TokenSlice.empty());
    assertThat(stream.snapshot()).isSameAs(prompt);
    stream.append(4);
    assertThat(array).containsExactly(9, 1, 2, 3, 9);
    assertThat(stream.snapshot()).isEqualTo(TokenSlice.of(1, 2, 3, 4));
    assertThat(stream.promptLength()).isEqualTo(3);
  }

  @Test
  void shouldKeepSnapshotsWhenTheStreamGrows() {
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.of(1));
    stream.append(2);
    TokenSlice two = stream.snapshot();
    for (int i = 3; i < 100; i++) {
      stream.append(i);
    }
    assertThat(two).isEqualTo(TokenSlice.of(1, 2));
    assertThat(stream.snapshot(5)).isEqualTo(TokenSlice.of(1, 2, 3, 4, 5));
    assertThat(stream.get(98)).isEqualTo(99);
  }

  @Test
  void shouldNotCopyForASnapshot() {
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.empty());
    stream.append(1);
    TokenSlice one = stream.snapshot();
    stream.append(2);
    assertThat(stream.snapshot().backingArray()).isSameAs(one.backingArray());
  }

  @Test
  void shouldHaveNoHashesWithoutHashing() {
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.of(1, 2, 3, 4, 5));
    stream.append(TokenSlice.of(6, 7, 8));
    assertThat(stream.blockCount()).isZero();
    assertThat(stream.localHashes()).isEmpty();
  }

  @Test
  void shouldHashThePromptOnceAndEachBlockWhenItFills() {
    int[] hashed = new int[1];
    BlockHashing counting =
        new BlockHashing() {
          @Override
          public int blockSize() {
            return 4;
          }

          @Override
          public long windowSize() {
            return 4;
          }

          @Override
          public long localHash(int[] tokens, int offset) {
            hashed[0]++;
            return HASHER.localHash(tokens, offset);
          }

          @Override
          public long sequenceHash(long parentHash, long localHash) {
            return HASHER.sequenceHash(parentHash, localHash);
          }
        };
    TokenAccumulator stream =
        TokenAccumulator.startingWith(TokenSlice.wrap(new int[4_000]), counting);
    assertThat(hashed[0]).isEqualTo(1_000);
    for (int i = 0; i < 4_000; i++) {
      stream.append(i);
      assertThat(hashed[0]).isEqualTo(1_000 + (i + 1) / 4);
    }
    assertThat(stream.blockCount()).isEqualTo(2_000);
  }

  @Test
  void shouldRefuseASnapshotLongerThanTheStream() {
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.of(1, 2));
    assertThatThrownBy(() -> stream.snapshot(3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> stream.get(2)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void shouldRefuseMoreTokensThanAnArrayHolds() {
    int max = Integer.MAX_VALUE - 8;
    assertThat(TokenAccumulator.capacityFor(max - 1, 1)).isEqualTo(max);
    assertThat(TokenAccumulator.capacityFor(1 << 30, 1)).isEqualTo(max);
    assertThat(TokenAccumulator.capacityFor(100, 1_000)).isEqualTo(1_100);
    assertThatThrownBy(() -> TokenAccumulator.capacityFor(max, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("length=" + max)
        .hasMessageContaining("added=1");
    assertThatThrownBy(() -> TokenAccumulator.capacityFor(5, Integer.MAX_VALUE))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldAllocateNothingBetweenDoublings() {
    AllocationMeter meter = AllocationMeter.create();
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.of(1, 2, 3), HASHER);
    stream.append(TokenSlice.wrap(new int[1 << 20]));
    assertThat(meter.bytesPerRun(() -> stream.append(7))).isZero();
  }

  @Test
  void shouldAllocateDoubledArraysOnlyOverAWholeStream() {
    AllocationMeter meter = AllocationMeter.create();
    int[] tokens = IntStream.range(0, 100_000).toArray();
    Runnable stream =
        () -> {
          TokenAccumulator one = TokenAccumulator.startingWith(TokenSlice.empty(), HASHER);
          for (int token : tokens) {
            one.append(token);
          }
        };
    stream.run(); // what the first run links and loads is not the stream's
    long bytes = meter.bytesOfOneRun(stream);
    // Arrays of 16, 32 ... 131,072 ints make 262,128 ints; two of 16 ... 32,768 longs 65,520 each.
    long arrays = 4L * 262_128 + 2 * 8L * 65_520;
    assertThat(bytes).isBetween(arrays, arrays + 4_096);
  }

  @Test
  void shouldTellSizesOnlyAsText() {
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.of(123_456, 2), HASHER);
    assertThat(stream.toString()).isEqualTo("TokenAccumulator[length=2, blockCount=0]");
    assertThat(Arrays.toString(stream.snapshot().toArray())).contains("123456");
  }
}
