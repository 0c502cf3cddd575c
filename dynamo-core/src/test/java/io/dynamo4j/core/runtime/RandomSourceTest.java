// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RandomSourceTest {

  @Test
  void shouldGiveTheSameChildWhateverTheParentHasDrawn() {
    RandomSource used = RandomSource.seeded(7);
    for (int i = 0; i < 100; i++) {
      used.nextLong();
    }
    assertThat(used.split("ties").nextLong())
        .isEqualTo(RandomSource.seeded(7).split("ties").nextLong());
    assertThat(used.split("ties").nextLong()).isNotEqualTo(used.split("jitter").nextLong());
  }

  @Test
  void shouldDrawEveryValueOfASmallBoundAboutEquallyOften() {
    RandomSource random = RandomSource.seeded(1);
    int[] counts = new int[3];
    for (int i = 0; i < 30_000; i++) {
      counts[random.nextInt(3)]++;
    }
    assertThat(IntStream.of(counts).boxed())
        .allSatisfy(n -> assertThat(n).isBetween(9_700, 10_300));
  }

  @Test
  void shouldRefuseABoundThatIsNotPositive() {
    assertThatThrownBy(() -> RandomSource.seeded(1).nextInt(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bound=0");
  }
}
