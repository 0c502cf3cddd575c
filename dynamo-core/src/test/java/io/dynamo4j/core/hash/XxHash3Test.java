// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.Hashing;
import io.dynamo4j.core.runtime.RandomSource;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class XxHash3Test {
  private static final int MAX_BYTES = 4_096;

  @Test
  void shouldAgreeWithAnIndependentImplementationForEveryLengthOfBytes() {
    RandomSource random = RandomSource.seeded(20_261_130);
    byte[] bytes = randomBytes(random, MAX_BYTES + 64);
    for (int length = 0; length <= MAX_BYTES; length++) {
      long seed = random.nextLong();
      int offset = random.nextInt(64);
      assertThat(XxHash3.seeded(seed).hash(bytes, offset, length))
          .as("seed=%d offset=%d length=%d", seed, offset, length)
          .isEqualTo(oracle(bytes, offset, length, seed));
    }
  }

  @Test
  void shouldHashIntsAndLongsAsTheirLittleEndianBytes() {
    RandomSource random = RandomSource.seeded(7);
    byte[] bytes = randomBytes(random, MAX_BYTES + 64);
    int[] ints = new int[bytes.length / 4];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(ints);
    long[] longs = new long[bytes.length / 8];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(longs);
    for (int count = 0; count <= MAX_BYTES / 4; count++) {
      long seed = random.nextLong();
      int offset = random.nextInt(8);
      assertThat(XxHash3.hash(ints, offset, count, seed))
          .as("seed=%d offset=%d ints=%d", seed, offset, count)
          .isEqualTo(oracle(bytes, 4 * offset, 4 * count, seed));
      int half = count / 2;
      assertThat(XxHash3.hash(longs, offset, half, seed))
          .as("seed=%d offset=%d longs=%d", seed, offset, half)
          .isEqualTo(oracle(bytes, 8 * offset, 8 * half, seed));
    }
  }

  @Test
  void shouldAgreeForSeedsWithExtremeBits() {
    byte[] bytes = randomBytes(RandomSource.seeded(3), 600);
    long[] seeds = {
      0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1337, 0xFFFFFFFFL, 1L << 31, 1L << 32
    };
    for (long seed : seeds) {
      XxHash3 hasher = XxHash3.seeded(seed);
      for (int length = 0; length <= 600; length++) {
        assertThat(hasher.hash(bytes, 0, length))
            .as("seed=%d length=%d", seed, length)
            .isEqualTo(oracle(bytes, 0, length, seed));
      }
    }
  }

  @Test
  void shouldGivePublishedValues() {
    assertThat(Long.toUnsignedString(ofText("test data", 1337))).isEqualTo("13226331709069118873");
    assertThat(Long.toUnsignedString(ofText("", 1337))).isEqualTo("15128690059815094969");
    assertThat(Long.toUnsignedString(ofText("a", 0))).isEqualTo("16629034431890738719");
    assertThat(Long.toUnsignedString(ofText("adapter-a", 0))).isEqualTo("8842669519798866845");
  }

  @Test
  void shouldHashAPairAsTwoLongs() {
    XxHash3 hasher = XxHash3.seeded(1337);
    assertThat(hasher.hash(11, 22)).isEqualTo(hasher.hash(new long[] {11, 22}, 0, 2));
  }

  @Test
  void shouldMultiplyUnsignedWithAndWithoutTheIntrinsic() {
    RandomSource random = RandomSource.seeded(5);
    for (int i = 0; i < 100_000; i++) {
      long a = random.nextLong();
      long b = random.nextLong();
      assertThat(MultiplyHigh.portable(a, b)).isEqualTo(MultiplyHigh.unsigned(a, b));
    }
    assertThat(MultiplyHigh.portable(-1, -1)).isEqualTo(-2);
    assertThat(MultiplyHigh.unsigned(-1, -1)).isEqualTo(-2);
    assertThat(MultiplyHigh.portable(Long.MIN_VALUE, 2)).isEqualTo(1);
  }

  @Test
  void shouldRefuseARangeOutsideTheArray() {
    XxHash3 hasher = XxHash3.seeded(0);
    assertThatThrownBy(() -> hasher.hash(new byte[4], 1, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> hasher.hash(new int[4], -1, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> hasher.hash(new long[4], 0, -1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> hasher.hash(new int[4], Integer.MAX_VALUE, Integer.MAX_VALUE))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static long ofText(String text, long seed) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return XxHash3.hash(utf8, 0, utf8.length, seed);
  }

  private static long oracle(byte[] bytes, int offset, int length, long seed) {
    return Hashing.xxh3_64(seed).hashBytesToLong(bytes, offset, length);
  }

  private static byte[] randomBytes(RandomSource random, int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) random.nextLong();
    }
    return bytes;
  }
}
