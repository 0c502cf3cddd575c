// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IndexMeasurementsTest {

  /** The whole log takes far less than one tick of the clock of all threads' CPU time. */
  @Test
  void shouldGiveAFigureAboveZeroWhenTheLogIsTooShortForTheClock() {
    List<long[]> rows = new ArrayList<>();
    for (int row = 0; row < 20; row++) {
      rows.add(new long[] {0, 1 + row % 3, 10 + row});
    }
    LogShape shape = new LogShape(1, 1, 4, 100, 10, LogShape.Assign.RR, LogShape.Evict.TAIL);
    IndexMeasurements index = IndexMeasurements.of(OperationLog.of(rows, shape));

    IndexFigures.Round round = index.round(2, /* leastCpuNanos= */ 0);

    assertThat(round.applyCpuPerBlock()).isPositive().isFinite();
    assertThat(round.applyWallPerBlock()).isPositive().isFinite();
    assertThat(round.treeCpuPerBlock()).isPositive().isFinite();
  }
}
