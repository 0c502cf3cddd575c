// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class HashRepeatsTest {
  private static final int[] RANGES = {3, 100, 1 << 20};

  @Property(tries = 500)
  void shouldFindWhatCountingFinds(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    HashRepeats repeats = new HashRepeats(random.nextLong());
    for (int list = 0; list < 20; list++) {
      int range = RANGES[random.nextInt(RANGES.length)];
      long[] hashes = new long[random.nextInt(200)];
      Arrays.setAll(hashes, i -> random.nextInt(range) - 1L);
      int count = random.nextInt(hashes.length + 1);

      boolean isRepeated = Arrays.stream(hashes, 0, count).distinct().count() < count;
      assertThat(repeats.isIn(hashes, count)).isEqualTo(isRepeated);
    }
  }

  @Test
  void shouldFindARepeatAtBothEndsOfALongList() {
    HashRepeats repeats = new HashRepeats(7);
    long[] hashes = new long[100_000];
    Arrays.setAll(hashes, i -> i);

    assertThat(repeats.isIn(hashes, hashes.length)).isFalse();
    hashes[hashes.length - 1] = hashes[0];
    assertThat(repeats.isIn(hashes, hashes.length)).isTrue();
    assertThat(repeats.isIn(hashes, hashes.length - 1)).isFalse();
  }
}
