// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OperationLogTest {

  private static List<long[]> rows() {
    List<long[]> rows = new ArrayList<>();
    for (int row = 0; row < 60; row++) {
      rows.add(new long[] {0, 1 + row % 3, 100 + row % 7, 1_000 + row});
    }
    return rows;
  }

  @ParameterizedTest
  @EnumSource(LogShape.Evict.class)
  void shouldGetTheScoresOfTheCachesFromTheTree(LogShape.Evict evict) {
    OperationLog log = OperationLog.of(rows(), new LogShape(2, 3, 4, 40, 10, evict));
    IndexRun run = IndexRun.of(log);

    assertThat(log.removedBlocks()).isPositive();
    assertThat(run.wrongScores(log.residentQueries(1_000))).isZero();
    assertThat(run.wrongScores(log.freshQueries(1_000))).isZero();
  }

  @Test
  void shouldDependOnEveryPartOfTheShape() {
    long checksum = OperationLog.of(rows(), LogShape.of(1, 4)).checksum();

    assertThat(OperationLog.of(rows(), LogShape.of(1, 4)).checksum()).isEqualTo(checksum);
    assertThat(OperationLog.of(rows(), LogShape.of(2, 4)).checksum()).isNotEqualTo(checksum);
    assertThat(OperationLog.of(rows(), LogShape.of(1, 5)).checksum()).isNotEqualTo(checksum);
  }

  @Test
  void shouldRefuseAnImpossibleShape() {
    assertThatThrownBy(() -> LogShape.of(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("factor=0");
  }

  @Test
  void shouldCheckItselfOnTheBuiltInLog() {
    BenchResult result = new IndexBench().run(new BenchOptions(/* quick= */ true));

    assertThat(result.facts()).hasSize(3);
  }
}
