// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.benchmarks.BenchTestRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IndexerBenchTest {

  @Test
  void shouldMeasureEveryPartAndAgreeWithTheCaches() throws IOException {
    BenchTestRun run = BenchTestRun.of("indexer", "--quick", "--json");

    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    JsonNode root = new ObjectMapper().readTree(run.out());
    assertThat(quantities(root.get("rows")))
        .doesNotHaveDuplicates()
        .anyMatch(quantity -> quantity.contains("against the bare tree"))
        .anyMatch(quantity -> quantity.startsWith("indexer, lookup over two trees"))
        .anyMatch(quantity -> quantity.startsWith("indexer, snapshot written"))
        .anyMatch(quantity -> quantity.startsWith("indexer, snapshot checked and loaded"))
        .anyMatch(quantity -> quantity.startsWith("indexer, lookups while a worker is recovered"));
    assertThat(quantities(root.get("facts")))
        .doesNotHaveDuplicates()
        .anyMatch(quantity -> quantity.startsWith("indexer, envelopes decoded"))
        .anyMatch(quantity -> quantity.startsWith("indexer, envelope to visible, kept up, p99"))
        .anyMatch(quantity -> quantity.startsWith("indexer, decoding, heap a block"));
  }

  private static List<String> quantities(JsonNode figures) {
    List<String> quantities = new ArrayList<>();
    figures.forEach(
        figure -> {
          assertThat(figure.path("ratio").isNumber() || figure.path("value").isNumber()).isTrue();
          quantities.add(figure.get("quantity").asText());
        });
    return quantities;
  }
}
