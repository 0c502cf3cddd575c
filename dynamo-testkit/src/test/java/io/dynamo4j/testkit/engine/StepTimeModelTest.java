// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StepTimeModelTest {
  private final StepTimeModel model = StepTimeModel.polynomial();

  @Test
  void shouldTakeTheRecordedTimeOfAFullFirstStep() {
    // First row of the recorded conversation run.
    assertThat(model.millis(8192, 0, 1_048_576)).isEqualTo(169.136918, within(1e-6));
  }

  @Test
  void shouldAddTheTermsThatApply() {
    assertThat(model.millis(0, 0, 100)).isZero();
    assertThat(model.millis(1000, 0, 100)).isEqualTo(32.1058589, within(1e-7));
    assertThat(model.millis(0, 50, 100)).isEqualTo(26.31, within(1e-9));
    assertThat(model.millis(1000, 50, 100)).isEqualTo(58.4158589, within(1e-7));
  }
}
