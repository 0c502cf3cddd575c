// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.JcstressRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every publication of core under jcstress, and planted faults that it must find: {@code
 * RadixTreeStress}, {@code TokenAccumulatorStress}, {@code PlantedStress}, {@code
 * PlantedTokensStress}. One run, because it starts a process for each; {@code bin/bench soak-core}
 * takes longer over it.
 */
@Tag("slow")
class StressTest {
  private static final int MILLIS = 200;
  private static final int TESTS = 12;

  /** A busy machine lets two threads meet seldom: planted faults may need longer runs. */
  private static final int FURTHER_RUNS = 6;

  @Test
  void shouldPublishInOrderAndFindThePlantedFaults(@TempDir Path folder)
      throws IOException, InterruptedException {
    JcstressRun run = JcstressRun.of(folder, JcstressRun.ALL_OF_CORE, MILLIS);

    assertThat(run.errors()).as(run.text()).isZero();
    assertThat(run.passed()).as(run.text()).isGreaterThanOrEqualTo(TESTS);
    assertThat(run.failedTests()).as(run.text()).isSubsetOf(JcstressRun.PLANTED_FAULTS);
    SortedSet<String> found = new TreeSet<>(run.failedTests());
    String text = run.text();
    for (int i = 1; i <= FURTHER_RUNS && found.size() < JcstressRun.PLANTED_FAULTS.size(); i++) {
      JcstressRun planted = JcstressRun.of(folder, JcstressRun.PLANTED_OF_CORE, MILLIS << i);
      found.addAll(planted.failedTests());
      text = planted.text();
    }
    assertThat(found).as(text).isEqualTo(JcstressRun.PLANTED_FAULTS);
  }
}
