// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.benchmarks.SharedFolder;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The traces that settings name, each read once. */
final class PolicyTraces {
  private static final double SPREAD_MILLIS = 3_000;
  private static final long SPREAD_SEED = 7;

  private final Map<String, List<TraceRow>> read = new LinkedHashMap<>();

  /** Returns whether the traces are there. */
  static boolean arePresent() {
    return Files.exists(file("C"));
  }

  static Path file(String trace) {
    String name =
        switch (trace.charAt(0)) {
          case 'C' -> "conversation_trace.jsonl";
          case 'M' -> "mooncake_trace_1000.jsonl";
          case 'S' -> "synthetic_trace.jsonl";
          default -> throw new IllegalArgumentException("no such trace: trace=" + trace);
        };
    return SharedFolder.path("data/traces/" + name);
  }

  List<TraceRow> rows(String trace) {
    List<TraceRow> known = read.get(trace);
    if (known == null) {
      List<TraceRow> recorded = TraceReader.read(file(trace));
      known = trace.endsWith("~") ? spread(recorded) : recorded;
      read.put(trace, known);
    }
    return known;
  }

  /** Spreads the bursts in which the recorder stamped arrivals. */
  static List<TraceRow> spread(List<TraceRow> rows) {
    RandomSource random = RandomSource.seeded(SPREAD_SEED);
    List<TraceRow> spread = new ArrayList<>(rows.size());
    for (TraceRow row : rows) {
      long[] ids = new long[row.hashIdCount()];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = row.hashId(i);
      }
      double at = row.timestampMillis() + random.nextDouble() * SPREAD_MILLIS;
      spread.add(TraceRow.of(at, row.inputLength(), row.outputLength(), ids));
    }
    spread.sort(Comparator.comparingDouble(TraceRow::timestampMillis));
    return spread;
  }
}
