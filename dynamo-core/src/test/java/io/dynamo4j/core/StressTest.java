// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.JcstressRun;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every publication of core under jcstress, and one planted fault that it must find: {@code
 * RadixTreeStress}, {@code TokenAccumulatorStress}, {@code PlantedStress}. One run, because it
 * starts a process for each; {@code bin/bench soak-core} takes longer over it.
 */
@Tag("slow")
class StressTest {
  private static final int MILLIS = 200;
  private static final int TESTS = 11;
  private static final String PLANTED = "LengthBeforeContents";

  /** A busy machine lets two threads meet seldom: the planted fault may need longer runs. */
  private static final int FURTHER_RUNS = 6;

  @Test
  void shouldPublishInOrderAndFindThePlantedFault(@TempDir Path folder)
      throws IOException, InterruptedException {
    JcstressRun run = JcstressRun.of(folder, JcstressRun.ALL_OF_CORE, MILLIS);

    assertThat(run.errors()).as(run.text()).isZero();
    assertThat(run.passed()).as(run.text()).isGreaterThanOrEqualTo(TESTS);
    assertThat(run.failedTests()).as(run.text()).isSubsetOf(PLANTED);
    JcstressRun planted = run;
    for (int i = 1; i <= FURTHER_RUNS && planted.failedTests().isEmpty(); i++) {
      planted = JcstressRun.of(folder, "PlantedStress", MILLIS << i);
    }
    assertThat(planted.failedTests()).as(planted.text()).containsExactly(PLANTED);
  }
}
