// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.AllocationMeter;
import io.dynamo4j.core.token.TokenSlice;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashAllocationTest {
  private final AllocationMeter meter = AllocationMeter.create();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16, 32, 48, 64, 600})
  void shouldAllocateNothingWhenHashingBlocks(int blockSize) {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(blockSize));
    TokenSlice tokens = TokenSlice.wrap(IntStream.range(0, 4 * blockSize).toArray());
    long[] out = new long[4];
    assertThat(
            meter.bytesPerRun(
                () -> {
                  hasher.hash(tokens, out);
                  SequenceHasher.hash(out, 4, out);
                }))
        .isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 8, 16, 100, 240, 1_000})
  void shouldAllocateNothingWhenHashingBytesAndLongs(int length) {
    XxHash3 hasher = XxHash3.seeded(1337);
    byte[] bytes = new byte[length];
    long[] longs = new long[length / 8];
    long[] out = new long[2];
    assertThat(
            meter.bytesPerRun(
                () -> {
                  out[0] += hasher.hash(bytes, 0, length);
                  out[1] += hasher.hash(longs, 0, longs.length);
                }))
        .isZero();
  }
}
