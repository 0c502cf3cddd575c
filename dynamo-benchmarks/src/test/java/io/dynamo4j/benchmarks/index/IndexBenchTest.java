// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.benchmarks.BenchTestRun;
import io.dynamo4j.benchmarks.Medians;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IndexBenchTest {
  @TempDir private Path folder;

  private Path trace() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < 80; row++) {
      lines.add("{\"timestamp\": 0, \"hash_ids\": [0, " + (1 + row % 3) + ", " + (10 + row) + "]}");
    }
    return Files.write(folder.resolve("small.jsonl"), lines);
  }

  @Test
  void shouldPrintRowsAndFactsWithDifferentQuantities() throws IOException {
    BenchTestRun run = BenchTestRun.of("index", "--quick", "--json", "--trace", "" + trace());

    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    JsonNode root = new ObjectMapper().readTree(run.out());
    Set<String> quantities = new HashSet<>();
    for (JsonNode row : root.get("rows")) {
      assertThat(row.get("ratio").isNumber()).isTrue();
      assertThat(quantities.add(row.get("quantity").asText())).isTrue();
    }
    for (JsonNode fact : root.get("facts")) {
      assertThat(fact.get("value").isNumber()).isTrue();
      assertThat(quantities.add(fact.get("quantity").asText())).isTrue();
    }
    assertThat(quantities)
        .anyMatch(quantity -> quantity.startsWith("lookup, ") && quantity.contains("W8 "))
        .anyMatch(quantity -> quantity.startsWith("read p99 with the writer"))
        .anyMatch(quantity -> quantity.startsWith("heap a membership, foreign hashes"));
  }

  @Test
  void shouldFindNoWrongScoreWhenCachesHaveHoles() throws IOException {
    BenchTestRun run =
        BenchTestRun.of(
            "index",
            "--quick",
            "--json",
            "--trace",
            "" + trace(),
            "--evict",
            "head",
            "--capacity",
            "20",
            "--workers",
            "2,4");

    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("small x1 f1 W2 capacity 20 head");
  }

  /** As the processes that measure do it, in this one: a log of hardly anything. */
  @ParameterizedTest
  @ValueSource(strings = {"[7]", "[1, 2, 3]|[1, 2, 4]|[5]", "[]|[1]", "[1, 2, 3]|[1, 2, 3]"})
  void shouldMeasureATraceOfAFewRows(String text) throws IOException {
    List<long[]> rows = new ArrayList<>();
    for (String row : text.split("\\|", -1)) {
      String[] ids = row.substring(1, row.length() - 1).split(", ", -1);
      rows.add(Stream.of(ids).filter(id -> !id.isEmpty()).mapToLong(Long::parseLong).toArray());
    }
    for (LogShape.Evict evict : LogShape.Evict.values()) {
      LogShape shape = new LogShape(1, 1, 2, 2, 10, LogShape.Assign.RR, evict);
      OperationLog log = OperationLog.of(rows, shape);
      IndexMeasurements index = IndexMeasurements.of(log);
      IndexFigures.Once once = index.once();
      Medians ours = new Medians();
      IndexComparison.addRound(ours, index.round(1, 1), new MixedLoad(log).round());
      IndexReport report = new IndexReport("few");
      report.once(once);
      report.rounds(ours, new Medians(), once.answers(), 1);

      assertThat(once.wrongAnswers()).isZero();
      assertThat(report.rows()).isNotEmpty();
    }
  }

  @Test
  void shouldRefuseATraceWithoutIds() throws IOException {
    Path empty = Files.writeString(folder.resolve("empty.jsonl"), "{\"hash_ids\": []}\n");

    BenchTestRun run = BenchTestRun.of("index", "--trace", "" + empty);

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err().lines()).singleElement().asString().contains("empty.jsonl", "rows=1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--factor 0", "--factor 257", "--workers 0", "--copies 0", "--copies 65537",
        "--capacity 0", "--holdout -1", "--rounds 9", "--evict side", "--assign none",
        "--factor x"
      })
  void shouldRefuseAnOptionOutOfRangeInOneLine(String option) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("index", "--trace", "" + trace()));
    arguments.addAll(List.of(option.split(" ", -1)));

    BenchTestRun run = BenchTestRun.of(arguments.toArray(String[]::new));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"index --factor 4", "index --trace absent.jsonl", "hash --trace absent.jsonl"})
  void shouldRefuseOptionsThatCannotBeMeantInOneLine(String line) {
    BenchTestRun run = BenchTestRun.of(line.split(" ", -1));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err().lines()).hasSize(1);
  }

  @Test
  void shouldNameTheLineOfATraceThatIsNone() throws IOException {
    Path broken = Files.writeString(folder.resolve("broken.jsonl"), "{\"hash_ids\": [1, ");

    BenchTestRun run = BenchTestRun.of("index", "--quick", "--trace", "" + broken);

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err().lines()).singleElement().asString().contains("broken.jsonl");
  }
}
