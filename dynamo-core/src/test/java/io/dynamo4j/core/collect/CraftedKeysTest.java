// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import org.junit.jupiter.api.Test;

/** Keys that lie side by side under one seed, made by undoing the mixing, under other seeds. */
class CraftedKeysTest {
  private static final int KEYS = 20_000;
  private static final long CRAFTED_FOR = 42;

  @Test
  void shouldClusterOnlyUnderTheSeedThatKeysWereCraftedFor() throws ReflectiveOperationException {
    assertThat(longestRun(CRAFTED_FOR)).isEqualTo(KEYS);
    for (long seed : new long[] {0, 1, 43, -1, 0x123456789abcdefL}) {
      assertThat(longestRun(seed)).as("seed=%d", seed).isLessThan(100);
    }
  }

  private static int longestRun(long seed) throws ReflectiveOperationException {
    LongIntMap map = LongIntMap.create(seed);
    for (int i = 0; i < KEYS; i++) {
      map.put(crafted(i), 1);
    }
    assertThat(map.size()).isEqualTo(KEYS);
    Field field = LongIntMap.class.getDeclaredField("values");
    field.setAccessible(true);
    int[] values = (int[]) field.get(map);
    int longest = 0;
    int run = 0;
    for (int slot = 0; slot < 2 * values.length; slot++) {
      run = values[slot % values.length] == 0 ? 0 : run + 1;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  /** Returns a key whose home is 0, in a table of any size, under {@link #CRAFTED_FOR}. */
  private static long crafted(int i) {
    long mixed = i * inverse(0xd6e8feb86659fd93L); // upper half 0
    mixed ^= mixed >>> 32;
    return mixed * inverse(0x9e3779b97f4a7c15L) ^ CRAFTED_FOR;
  }

  /** Returns the inverse of an odd number modulo 2^64; each step doubles the right bits. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 6; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }
}
