// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Figures of one log: a comparison where the comparator measured the same, a fact elsewhere. */
final class IndexFigures {
  private final String label;
  private final OperationLog log;
  private final IndexRun run;
  private final List<JsonNode> theirs;
  private final int rounds;
  private final List<Row> rows = new ArrayList<>();
  private final List<Fact> facts = new ArrayList<>();

  IndexFigures(String label, OperationLog log, IndexRun run, List<JsonNode> theirs, int rounds) {
    this.label = label;
    this.log = log;
    this.run = run;
    this.theirs = theirs;
    this.rounds = rounds;
  }

  List<Row> rows() {
    return rows;
  }

  List<Fact> facts() {
    return facts;
  }

  void lookup(String set, List<long[]> queries) {
    JsonNode reference = find("lookup", set);
    if (reference != null) {
      ChecksumMismatchException.requireEqual(
          label + " " + set + " results",
          run.resultChecksum(queries),
          Long.parseUnsignedLong(reference.path("result_checksum").asText(), 16));
    }
    add(
        "lookup " + label + " " + set,
        run.lookupNanos(queries, rounds),
        reference == null ? null : reference.path("cpu_mean_ns").path("min"),
        "ns");
  }

  void apply() {
    JsonNode reference = find("apply", null);
    // The comparator's clock covers queueing and draining; its CPU time is that of all its threads.
    add(
        "apply a block " + label,
        run.applyNanos(rounds),
        reference == null ? null : reference.path("cpu_ns_per_block").path("min"),
        "ns");
  }

  void memory() {
    JsonNode reference = find("memory", null);
    add(
        "memory a membership " + label,
        run.bytesPerMembership(),
        reference == null ? null : reference.path("per_membership_after_sweep"),
        "B");
    facts.add(new Fact("memberships " + label, log.memberships(), "blocks"));
  }

  private @Nullable JsonNode find(String mode, @Nullable String set) {
    for (JsonNode measurement : theirs) {
      if (measurement.path("mode").asText().equals(mode)
          && (set == null || measurement.path("set").asText().equals(set))) {
        return measurement;
      }
    }
    return null;
  }

  private void add(String quantity, double ours, @Nullable JsonNode reference, String unit) {
    if (reference != null && reference.isNumber()) {
      rows.add(Row.lowerIsBetter(quantity, ours, reference.asDouble(), unit));
    } else {
      facts.add(new Fact(quantity, ours, unit));
    }
  }
}
