// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.SharedFolder;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PolicyBenchTest {

  @Test
  @Tag("slow")
  void shouldCompareEveryPartOnAFewSettings() {
    Assumptions.assumeTrue(
        PolicyTraces.arePresent() || "true".equals(System.getenv("CI")), "traces are absent");
    BenchResult result = PolicyBench.all().run(new BenchOptions(/* quick= */ true));

    assertThat(result.rows())
        .allMatch(row -> row.ours() > 0 && row.reference() > 0)
        .anyMatch(row -> row.quantity().startsWith("policy recorded kv, M 8/512/1, hit"))
        .anyMatch(row -> row.quantity().startsWith("policy setting, M 8/2048/1, mean TTFT"))
        .anyMatch(row -> row.quantity().startsWith("policy disturbed, events 10 s late"))
        .anyMatch(row -> row.quantity().startsWith("policy decision, ranks x blocks 8x4"));
    assertThat(result.rows())
        .filteredOn(row -> row.quantity().startsWith("policy recorded"))
        .allMatch(row -> row.ratio() > 0.93 && row.ratio() < 1.07);
    assertThat(result.facts())
        .filteredOn(fact -> fact.quantity().endsWith("mean TTFT, worst"))
        .singleElement()
        .satisfies(fact -> assertThat(fact.value()).isLessThan(1));
  }

  @Test
  void shouldNameEachPart() {
    assertThat(PolicyBench.all().name()).isEqualTo("policy");
    assertThat(PolicyBench.of(PolicyBench.Part.COST).name()).isEqualTo("policy-cost");
  }

  @Test
  void shouldReadASettingAsItIsWritten() {
    assertThat(PolicySettings.ALL).hasSize(88).doesNotHaveDuplicates();
    for (PolicySetting setting : PolicySettings.ALL) {
      assertThat(PolicySetting.parse(setting.toString())).isEqualTo(setting);
    }
    assertThat(PolicySetting.parse("C~ 8/512/c64"))
        .isEqualTo(new PolicySetting("C~", 8, 512, 1, 64));
  }

  @Test
  void shouldHaveARecordOfEachSettingThatClaimsOne() {
    Assumptions.assumeTrue(
        Files.exists(SharedFolder.path("data/golden/replay/summary.csv"))
            || "true".equals(System.getenv("CI")),
        "records are absent");
    RecordedRanges recorded = RecordedRanges.read();

    assertThat(PolicySettings.RECORDED).allSatisfy(s -> assertThat(recorded.of(s)).isNotEmpty());
    assertThat(recorded.of(PolicySetting.parse("C 8/2048/1"))).hasSize(3);
  }

  @Test
  void shouldSumUpByGeometricMeans() {
    Comparison comparison = new Comparison();
    comparison.add(new PolicyFigures(30, 100, 1_000), new PolicyFigures(20, 200, 1_000));
    comparison.add(new PolicyFigures(40, 100, 1_100), new PolicyFigures(20, 50, 1_000));

    assertThat(comparison.ttft()).isCloseTo(1, within(1e-9));
    assertThat(comparison.worstTtft()).isEqualTo(2);
    assertThat(comparison.worstP99()).isEqualTo(1.1);
    assertThat(comparison.hitPoints()).isEqualTo(15);
    assertThat(List.of(comparison.ours().ttftMillis(), comparison.reference().ttftMillis()))
        .allSatisfy(millis -> assertThat(millis).isCloseTo(100, within(1e-9)));
  }
}
