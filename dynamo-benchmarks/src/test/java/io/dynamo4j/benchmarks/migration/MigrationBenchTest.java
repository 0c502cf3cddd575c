// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MigrationBenchTest {

  @Test
  @Tag("slow")
  void shouldMeasureTimeAllocationAndOpenStreams() {
    BenchResult result = new MigrationBench().run(new BenchOptions(/* quick= */ true));

    assertThat(result.rows())
        .hasSize(6)
        .allMatch(row -> row.ours() > 0 && row.reference() > 0)
        .anyMatch(row -> row.quantity().endsWith(", time") && row.unit().equals("ns"))
        .anyMatch(row -> row.quantity().endsWith(", allocation") && row.unit().equals("B"));
    assertThat(result.facts())
        .hasSize(4)
        .anyMatch(fact -> fact.quantity().contains("1,000 open streams") && fact.value() > 1);
  }

  @Test
  void shouldBringSameTokensThroughTheMigratorAndPastIt() {
    for (String shape : new String[] {"unbounded", "window", "stall"}) {
      StreamBenchmark benchmark = new StreamBenchmark();
      benchmark.shape = shape;
      benchmark.prepare();

      assertThat(benchmark.ours()).isNotZero().isEqualTo(benchmark.reference());
      benchmark.close();
    }
  }
}
