// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SyntheticTraceTest {

  private static String text(List<TraceRow> rows) {
    StringBuilder text = new StringBuilder();
    for (TraceRow row : rows) {
      text.append(row).append(row.hashId(0)).append(row.hashId(row.hashIdCount() - 1)).append('\n');
    }
    return text.toString();
  }

  @Test
  void shouldBeAFunctionOfSeedAndCount() {
    assertThat(text(SyntheticTrace.generate(5, 300)))
        .isEqualTo(text(SyntheticTrace.generate(5, 300)))
        .isNotEqualTo(text(SyntheticTrace.generate(6, 300)));
  }

  @Test
  void shouldMakeRowsThatTheReaderWouldTake() {
    List<TraceRow> rows = SyntheticTrace.generate(1, 3_000);

    assertThat(rows).hasSize(3_000);
    double last = 0;
    for (TraceRow row : rows) {
      assertThat(row.timestampMillis()).isGreaterThanOrEqualTo(last);
      last = row.timestampMillis();
      assertThat(row.inputLength()).isBetween(1, 120_000);
      assertThat(row.outputLength()).isBetween(1, 2_000);
      assertThat(row.hashIdCount()).isEqualTo((row.inputLength() + 511) / 512);
    }
  }

  @Test
  void shouldNeverGiveABlockTwoParents() {
    Map<Long, Long> parents = new TreeMap<>();
    for (TraceRow row : SyntheticTrace.generate(1, 3_000)) {
      long parent = -1;
      for (int i = 0; i < row.hashIdCount(); i++) {
        assertThat(parents.merge(row.hashId(i), parent, (old, ours) -> old)).isEqualTo(parent);
        parent = row.hashId(i);
      }
    }
  }

  @Test
  void shouldHaveTheShapeOfConversations() {
    List<TraceRow> rows = SyntheticTrace.generate(1, 3_000);
    double meanInput = rows.stream().mapToInt(TraceRow::inputLength).average().orElse(0);
    double meanOutput = rows.stream().mapToInt(TraceRow::outputLength).average().orElse(0);
    double seconds = rows.get(rows.size() - 1).timestampMillis() / 1000;

    assertThat(InfiniteCacheCeiling.of(rows, 512, 512).hitRate()).isBetween(0.4, 0.65);
    assertThat(meanInput).isBetween(9_000.0, 18_000.0);
    assertThat(meanOutput).isBetween(250.0, 450.0);
    assertThat(rows.size() / seconds).isBetween(2.5, 4.5);
  }

  @Test
  void shouldRefuseAnEmptyTrace() {
    assertThatThrownBy(() -> SyntheticTrace.generate(1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("requests must be positive: requests=0");
  }
}
