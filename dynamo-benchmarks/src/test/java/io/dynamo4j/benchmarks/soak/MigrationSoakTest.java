// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MigrationSoakTest {

  @Test
  @Tag("slow")
  void shouldJudgeThousandsOfStreamsOnFreshSeeds() {
    BenchResult result = new MigrationSoak().run(new BenchOptions(/* quick= */ true));

    assertThat(result.rows()).isEmpty();
    assertThat(result.facts())
        .anyMatch(fact -> fact.quantity().equals("soak-migration streams") && fact.value() >= 3_000)
        .anyMatch(fact -> fact.quantity().equals("soak-migration tokens delivered"));
  }
}
