// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** All figures of one run, as JSON or as a table. */
final class BenchReport {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Row> rows = new ArrayList<>();
  private final List<Fact> facts = new ArrayList<>();
  private final Set<String> quantities = new HashSet<>();

  private BenchReport() {}

  static BenchReport create() {
    return new BenchReport();
  }

  /**
   * Adds what one benchmark measured.
   *
   * @throws IllegalArgumentException if a quantity was added before
   */
  void add(BenchResult result) {
    result.rows().forEach(row -> requireNew(row.quantity()));
    result.facts().forEach(fact -> requireNew(fact.quantity()));
    rows.addAll(result.rows());
    facts.addAll(result.facts());
  }

  String toJson() {
    ObjectNode root = JSON.createObjectNode();
    ArrayNode rowArray = root.putArray("rows");
    for (Row row : rows) {
      rowArray
          .addObject()
          .put("quantity", row.quantity())
          .put("ours", row.ours())
          .put("reference", row.reference())
          .put("ratio", row.ratio())
          .put("unit", row.unit());
    }
    ArrayNode factArray = root.putArray("facts");
    for (Fact fact : facts) {
      factArray
          .addObject()
          .put("quantity", fact.quantity())
          .put("value", fact.value())
          .put("unit", fact.unit());
    }
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("figures cannot be written as JSON", e);
    }
  }

  String toTable() {
    StringBuilder table = new StringBuilder();
    for (Row row : rows) {
      table.append(
          String.format(
              Locale.ROOT,
              "%-70s %12.3f %12.3f %-6s %7.3f%n",
              row.quantity(),
              row.ours(),
              row.reference(),
              row.unit(),
              row.ratio()));
    }
    for (Fact fact : facts) {
      table.append(
          String.format(
              Locale.ROOT, "%-70s %12.3f %-6s%n", fact.quantity(), fact.value(), fact.unit()));
    }
    return table.toString().stripTrailing();
  }

  private void requireNew(String quantity) {
    if (!quantities.add(quantity)) {
      throw new IllegalArgumentException("figure stands twice: quantity=" + quantity);
    }
  }
}
