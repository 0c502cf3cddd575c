// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.EventStreams.Hashes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IndexComparisonTest {

  @ParameterizedTest
  @EnumSource(BrokenIndex.Fault.class)
  void shouldCatchAPlantedFaultAndShrinkIt(BrokenIndex.Fault fault) {
    // Every planted fault shows in a handful of steps.
    assertThat(firstFound(fault))
        .contains("seed=")
        .satisfies(found -> assertThat(found.lines().count()).isLessThanOrEqualTo(9));
  }

  private static String firstFound(BrokenIndex.Fault fault) {
    IndexComparison comparison = IndexComparison.of(() -> BrokenIndex.with(fault), subject -> {});
    for (long seed = 0; seed < 150; seed++) {
      for (Hashes hashes : Hashes.values()) {
        String found = comparison.compare(seed, hashes, 40);
        if (found != null) {
          return found;
        }
      }
    }
    throw new AssertionError("fault was not found: fault=" + fault);
  }

  @Test
  void shouldCatchBrokenInvariants() {
    IndexComparison comparison =
        IndexComparison.of(
            ReferenceIndex::create,
            subject -> {
              if (subject.blockCount() > 5) {
                throw new IllegalStateException("planted");
              }
            });

    assertThat(comparison.compare(1, Hashes.OF_CONTENT, 40)).contains("planted");
  }

  @Test
  void shouldRepeatAStreamWhenTheSeedIsRepeated() {
    assertThat(EventStreams.of(3, Hashes.FEW, 50).toString())
        .isEqualTo(EventStreams.of(3, Hashes.FEW, 50).toString())
        .isNotEqualTo(EventStreams.of(4, Hashes.FEW, 50).toString());
  }
}
