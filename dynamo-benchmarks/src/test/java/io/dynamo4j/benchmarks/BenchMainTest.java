// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BenchMainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void shouldPrintOneJsonObjectAndNothingElse() throws IOException {
    assertThat(run("--quick", "--json", "hash", "accumulator")).isZero();
    JsonNode root = new ObjectMapper().readTree(out.toString());
    assertThat(root.fieldNames()).toIterable().containsExactly("rows", "facts");
    Set<String> quantities = new HashSet<>();
    for (JsonNode row : root.get("rows")) {
      assertThat(row.fieldNames())
          .toIterable()
          .containsExactly("quantity", "ours", "reference", "ratio", "unit");
      assertThat(row.get("ratio").isNumber()).isTrue();
      assertThat(quantities.add(row.get("quantity").asText())).isTrue();
    }
    for (JsonNode fact : root.get("facts")) {
      assertThat(fact.fieldNames()).toIterable().containsExactly("quantity", "value", "unit");
      assertThat(quantities.add(fact.get("quantity").asText())).isTrue();
    }
    assertThat(quantities).hasSizeGreaterThan(5);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void shouldNameTheBenchmarksWithoutRunningThem() {
    assertThat(run("--list")).isZero();
    assertThat(out.toString().lines())
        .hasSize(Benches.all().size())
        .allMatch(l -> l.contains("  "));
  }

  @Test
  void shouldNameTheSoaksOfTheScriptInItsHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains("soak-nats SEEDS", "soak-durable SEEDS", "soak-frames [COUNT]");
  }

  @Test
  void shouldRefuseAnUnknownBenchmarkInOneLine() {
    assertThat(run("nonsense")).isEqualTo(2);
    assertThat(err.toString().lines()).singleElement().asString().contains("name=nonsense");
  }

  @Test
  void shouldTurnBothKindsOfFigureIntoARatioAboveOneWhenOursIsBetter() {
    assertThat(Row.lowerIsBetter("time", 2, 3, "ns").ratio()).isEqualTo(1.5);
    assertThat(Row.higherIsBetter("rate", 3, 2, "1/s").ratio()).isEqualTo(1.5);
  }

  @Test
  void shouldRefuseARatioThatIsNoNumber() {
    assertThatThrownBy(() -> Row.lowerIsBetter("time", 0, 3, "ns"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("quantity=time");
  }

  @Test
  void shouldRefuseAQuantityThatStandsTwice() {
    BenchReport report = BenchReport.create();
    report.add(new BenchResult(List.of(Row.lowerIsBetter("time", 2, 3, "ns")), List.of()));
    assertThatThrownBy(
            () -> report.add(new BenchResult(List.of(), List.of(new Fact("time", 1, "ns")))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("quantity=time");
  }

  @Test
  void shouldNoticeThatOursAndTheReferenceDisagree() {
    assertThatThrownBy(() -> ChecksumMismatchException.requireEqual("time", 1, 2))
        .isInstanceOf(ChecksumMismatchException.class)
        .hasMessageContaining("quantity=time");
  }

  private int run(String... args) {
    return BenchMain.run(new PrintWriter(out), new PrintWriter(err, true), args);
  }
}
