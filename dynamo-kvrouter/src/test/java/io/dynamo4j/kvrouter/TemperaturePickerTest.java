// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.runtime.RandomSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemperaturePickerTest {
  private static final int DRAWS = 60_000;

  private static double[] shares(double temperature, double... costs) {
    TemperaturePicker picker = TemperaturePicker.of(temperature);
    RandomSource random = RandomSource.seeded(42);
    double[] shares = new double[costs.length];
    for (int i = 0; i < DRAWS; i++) {
      shares[picker.pick(costs, costs.length, random)] += 1.0 / DRAWS;
    }
    return shares;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0.479752, 0.343757, 0.176491",
    "0.5, 0.606519, 0.311397, 0.082083",
    "2, 0.407662, 0.345078, 0.247260"
  })
  void shouldDrawBySoftmaxOverTheRangeOfCosts(double t, double first, double second, double third) {
    // Three standard errors of a share of 60,000 draws are below 0.0062.
    assertThat(shares(t, 1, 2, 4))
        .containsExactly(new double[] {first, second, third}, within(0.0065));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.7})
  void shouldDrawEqualCostsUniformly(double temperature) {
    assertThat(shares(temperature, 3, 3, 3, 3))
        .containsExactly(new double[] {0.25, 0.25, 0.25, 0.25}, within(0.0065));
  }

  @Test
  void shouldDrawUniformlyAmongTheCheapestOnly() {
    assertThat(shares(0, 5, 2, 7, 2, 2))
        .containsExactly(new double[] {0, 1 / 3.0, 0, 1 / 3.0, 1 / 3.0}, within(0.0065));
  }

  @Test
  void shouldDrawNothingWithoutATie() {
    RandomSource random = RandomSource.seeded(7);

    assertThat(TemperaturePicker.of(0).pick(new double[] {4, 1, 3}, 3, random)).isEqualTo(1);

    assertThat(random.nextLong()).isEqualTo(RandomSource.seeded(7).nextLong());
  }

  @Test
  void shouldKeepTheSameChoiceForTheSameSeed() {
    double[] costs = {1, 2, 4, 1};
    RandomSource first = RandomSource.seeded(9);
    RandomSource second = RandomSource.seeded(9);
    TemperaturePicker picker = TemperaturePicker.of(0.7);

    for (int i = 0; i < 1_000; i++) {
      assertThat(picker.pick(costs, 4, first)).isEqualTo(picker.pick(costs, 4, second));
    }
  }

  @Test
  void shouldSurviveARangeThatOverflows() {
    double huge = Double.MAX_VALUE;

    assertThat(shares(1, -huge, huge)[0]).isCloseTo(1 / (1 + Math.exp(-1)), within(0.0065));
  }

  @Test
  void shouldIgnoreEntriesBeyondTheCount() {
    assertThat(TemperaturePicker.of(0).pick(new double[] {4, 5, 1}, 2, RandomSource.seeded(1)))
        .isZero();
    assertThat(TemperaturePicker.of(1).pick(new double[] {4, 1}, 1, RandomSource.seeded(1)))
        .isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
  void shouldRefuseATemperatureOutOfRange(double temperature) {
    assertThatThrownBy(() -> TemperaturePicker.of(temperature))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("temperature=" + temperature);
  }
}
