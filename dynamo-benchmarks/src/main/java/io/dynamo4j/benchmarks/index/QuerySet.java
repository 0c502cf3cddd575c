// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.List;

/**
 * Queries of one kind.
 *
 * @param name {@code resident}: requests whose blocks were stored; {@code fresh}: requests held out
 */
record QuerySet(String name, List<long[]> queries) {
  static final int LIMIT = 20_000;

  static List<QuerySet> of(OperationLog log) {
    return List.of(
            new QuerySet("resident", log.residentQueries(LIMIT)),
            new QuerySet("fresh", log.freshQueries(LIMIT)))
        .stream()
        .filter(set -> !set.queries.isEmpty())
        .toList();
  }

  /** What the answers to all queries are, whatever found them. */
  record Answers(
      String name,
      String checksum,
      double blocksPerQuery,
      double matchedPerQuery,
      double workersPerResult) {}

  /** Returns a digest of all answers, formed as the comparator forms its own. */
  Answers answers(SyncIndexer index) {
    OverlapScores out = OverlapScores.create();
    long sum = 0;
    long blocks = 0;
    long matched = 0;
    long entries = 0;
    for (int n = 0; n < queries.size(); n++) {
      long[] query = queries.get(n);
      index.findMatches(query, query.length, out);
      int best = 0;
      for (int i = 0; i < out.size(); i++) {
        long entry = (out.worker(i).workerId() << 32) | out.depth(i);
        sum += LogChecksum.mix64(LogChecksum.mix64(n) ^ entry);
        best = Math.max(best, out.depth(i));
      }
      blocks += query.length;
      matched += best;
      entries += out.size();
    }
    double count = queries.size();
    return new Answers(
        name, Long.toHexString(sum), blocks / count, matched / count, entries / count);
  }

  /** Returns how many of {@code most} queries have an answer that differs from the caches'. */
  int wrongAnswers(SyncIndexer index, OperationLog log, int most) {
    OverlapScores out = OverlapScores.create();
    int step = Math.max(1, (queries.size() + most - 1) / most);
    int wrong = 0;
    for (int n = 0; n < queries.size(); n += step) {
      long[] query = queries.get(n);
      index.findMatches(query, query.length, out);
      int[] expected = log.trueScores(query);
      for (int i = 0; i < out.size(); i++) {
        expected[(int) out.worker(i).workerId()] -= out.depth(i);
      }
      wrong += isAllZero(expected) ? 0 : 1;
    }
    return wrong;
  }

  private static boolean isAllZero(int[] values) {
    for (int value : values) {
      if (value != 0) {
        return false;
      }
    }
    return true;
  }
}
