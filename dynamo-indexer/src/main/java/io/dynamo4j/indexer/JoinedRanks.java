// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import org.jspecify.annotations.Nullable;

/**
 * The ranks of several lanes in one table, so that their results are joined by number: two int
 * copies a rank where adding by name costs twice as much. Made anew only when a rank came or left.
 */
final class JoinedRanks {
  private final @Nullable WorkerWithDpRank[][] tables;
  private final @Nullable WorkerWithDpRank[] joined;

  private JoinedRanks(@Nullable WorkerWithDpRank[][] tables, @Nullable WorkerWithDpRank[] joined) {
    this.tables = tables;
    this.joined = joined;
  }

  /** Returns the table for some results, each of which was made by number. */
  static JoinedRanks of(OverlapScores[] parts) {
    @Nullable WorkerWithDpRank[][] tables = new WorkerWithDpRank[parts.length][];
    int length = 0;
    for (int i = 0; i < parts.length; i++) {
      tables[i] = parts[i].workersByNumber();
      length += tables[i].length;
    }
    @Nullable WorkerWithDpRank[] joined = new WorkerWithDpRank[length];
    int at = 0;
    for (@Nullable WorkerWithDpRank[] table : tables) {
      System.arraycopy(table, 0, joined, at, table.length);
      at += table.length;
    }
    return new JoinedRanks(tables, joined);
  }

  /** Returns whether results are by the numbers of this table's parts. */
  boolean isOf(OverlapScores[] parts) {
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].workersByNumber() != tables[i]) {
        return false;
      }
    }
    return true;
  }

  /** Makes {@code out} the results of all parts. */
  void join(OverlapScores[] parts, OverlapScores out) {
    out.clearForNumbers(joined);
    int shift = 0;
    for (int i = 0; i < parts.length; i++) {
      out.addAllNumbered(parts[i], shift);
      shift += tables[i].length;
    }
  }
}
