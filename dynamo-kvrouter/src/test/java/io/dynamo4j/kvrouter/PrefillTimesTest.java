// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.runtime.RandomSource;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PrefillTimesTest {

  @Property(tries = 100)
  void shouldConvergeToTheTrueLine(
      @ForAll @DoubleRange(min = 0, max = 200) double fixedMillis,
      @ForAll @DoubleRange(min = 0.001, max = 0.2) @Scale(4) double millisPerToken,
      @ForAll long seed) {
    PrefillTimes times = new PrefillTimes(16.5, 0.0152);
    RandomSource random = RandomSource.seeded(seed);
    for (int i = 0; i < 4_000; i++) {
      long tokens = 1L + random.nextInt(16_000);
      double noise = 0.9 + 0.2 * random.nextDouble();
      times.learn(tokens, (fixedMillis + millisPerToken * tokens) * noise);
    }
    double typical = fixedMillis + 8_000 * millisPerToken;
    double longest = fixedMillis + 16_000 * millisPerToken;
    assertThat(times.millis(8_000)).isCloseTo(Math.max(1, typical), within(0.05 * typical + 0.01));
    assertThat(times.millisPerToken()).isCloseTo(millisPerToken, within(7 * slopeError(longest)));
  }

  /** The standard error of the slope is at most this, if no sample lies above {@code longest}. */
  private static double slopeError(double longest) {
    double noise = 0.2 / Math.sqrt(12) * longest;
    double spreadOfTokens = 16_000 / Math.sqrt(12);
    double samplesRemembered = 2 / (1 - 0.998);
    return noise / (spreadOfTokens * Math.sqrt(samplesRemembered));
  }

  @Property(tries = 200)
  void shouldStayFiniteAndNotNegativeWhateverIsMeasured(
      @ForAll @Size(max = 60) long[] tokens, @ForAll @Size(max = 60) double[] millis) {
    PrefillTimes times = new PrefillTimes(16.5, 0.0152);
    for (int i = 0; i < Math.min(tokens.length, millis.length); i++) {
      times.learn(Math.min(tokens[i], Integer.MAX_VALUE), millis[i]);
      assertThat(times.fixedMillis()).isFinite().isNotNegative();
      assertThat(times.millisPerToken()).isFinite().isNotNegative();
      assertThat(times.millis(8_000)).isBetween(1.0, 1e7);
    }
  }

  @Test
  void shouldPredictByThePriorBeforeAnythingIsLearned() {
    PrefillTimes times = new PrefillTimes(16.5, 0.0152);

    assertThat(times.millis(1_000)).isCloseTo(16.5 + 15.2, within(1e-9));
  }

  @Test
  void shouldIgnoreWhatIsNoMeasurement() {
    PrefillTimes times = new PrefillTimes(10, 0.01);
    times.learn(5, Double.NaN);
    times.learn(-1, 5);
    times.learn(5, -1);

    assertThat(times.millis(1_000)).isEqualTo(20);
  }

  @Test
  void shouldKeepTheLineWhenAllPromptsAreOfOneLength() {
    PrefillTimes times = new PrefillTimes(10, 0.01);
    for (int i = 0; i < 20_000; i++) {
      times.learn(1_000, 500);
    }
    assertThat(times.fixedMillis()).isFinite().isNotNegative();
    assertThat(times.millis(1_000)).isCloseTo(500, within(25.0));
  }
}
