// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.benchmarks.SharedFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What Dynamo's own simulation came to with its default policy, from the recorded summary. */
final class RecordedRanges {
  private static final int TRACE = 0;
  private static final int WORKERS = 1;
  private static final int POLICY = 2;
  private static final int BLOCKS = 3;
  private static final int SPEEDUP = 4;
  private static final int EXTRA = 5;
  private static final int HIT = 7;
  private static final int TTFT = 8;
  private static final int P99 = 11;

  private final List<String[]> rows;

  private RecordedRanges(List<String[]> rows) {
    this.rows = rows;
  }

  static RecordedRanges read() {
    try {
      List<String[]> rows = new ArrayList<>();
      for (String line : Files.readAllLines(SharedFolder.path("data/golden/replay/summary.csv"))) {
        rows.add(line.split(",", -1));
      }
      return new RecordedRanges(rows);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns every recorded run of a setting.
   *
   * @throws IllegalArgumentException if there is none
   */
  List<PolicyFigures> of(PolicySetting setting) {
    Path file = PolicyTraces.file(setting.trace()).getFileName();
    List<PolicyFigures> found = new ArrayList<>();
    for (String[] row : rows) {
      if (row[TRACE].equals(String.valueOf(file))
          && row[WORKERS].equals(Integer.toString(setting.workers()))
          && row[POLICY].equals("kv-default")
          && row[BLOCKS].equals(Integer.toString(setting.blocks()))
          && Double.parseDouble(row[SPEEDUP]) == setting.speedup()
          && row[EXTRA].isEmpty()) {
        found.add(
            new PolicyFigures(
                100 * Double.parseDouble(row[HIT]),
                Double.parseDouble(row[TTFT]),
                Double.parseDouble(row[P99])));
      }
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException("nothing recorded: setting=" + setting);
    }
    return Collections.unmodifiableList(found);
  }
}
