// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.Arrays;
import java.util.List;

/**
 * What a reader beside the writer of one stream may answer:
 *
 * <ul>
 *   <li>where no change came between, the reference's answer at that moment
 *   <li>else there is a moment between the changes done before the lookup and those begun by its
 *       end, at which no rank had less than its score
 *   <li>a score below what the rank had at all these moments is too low: allowed where retries ran
 *       out
 * </ul>
 */
public final class ReaderOracle {
  private static final long[][] QUERIES = {
    {0, 0, 0, 0}, {0, 1, 0}, {1, 1, 1, 1}, {-1, 0, 1}, {1, 0}, {-1, -1, -1}, {0, -1, 1, 0, 0}
  };

  private final List<WorkerWithDpRank> ranks = EventStreams.ranks();
  // By number of steps done, query and rank.
  private final int[][][] expected;

  private ReaderOracle(List<IndexStep> steps) {
    expected = new int[steps.size() + 1][QUERIES.length][];
    ReferenceIndex reference = ReferenceIndex.create();
    for (int i = 0; i <= steps.size(); i++) {
      if (i > 0) {
        steps.get(i - 1).applyTo(reference);
      }
      for (int query = 0; query < QUERIES.length; query++) {
        expected[i][query] = scores(reference, query, OverlapScores.create());
      }
    }
  }

  public static ReaderOracle of(List<IndexStep> steps) {
    return new ReaderOracle(steps);
  }

  /** Returns the number of queries. */
  public static int queries() {
    return QUERIES.length;
  }

  /** Returns the score of each rank. */
  public int[] scores(SyncIndexer index, int query, OverlapScores out) {
    index.findMatches(QUERIES[query], QUERIES[query].length, out);
    int[] scores = new int[ranks.size()];
    for (int i = 0; i < out.size(); i++) {
      int rank = ranks.indexOf(out.worker(i));
      if (scores[rank] != 0) {
        throw new AssertionError("rank is named twice: rank=" + out.worker(i));
      }
      scores[rank] = out.depth(i);
    }
    return scores;
  }

  /** Throws unless an answer is that of a moment. */
  public void requireExact(int[] scores, int query, int moment) {
    if (!Arrays.equals(scores, expected[moment][query])) {
      throw wrong(scores, query, moment, moment);
    }
  }

  /** Throws if there is a score too high, whatever the moment. */
  public void requireNotAboveAMoment(int[] scores, int query, int from, int to) {
    for (int moment = from; moment <= to; moment++) {
      boolean above = false;
      for (int rank = 0; rank < scores.length; rank++) {
        above |= scores[rank] > expected[moment][query][rank];
      }
      if (!above) {
        return;
      }
    }
    throw wrong(scores, query, from, to);
  }

  /** Returns whether some score is below all that the rank had. */
  public boolean isTooLow(int[] scores, int query, int from, int to) {
    for (int rank = 0; rank < scores.length; rank++) {
      int least = Integer.MAX_VALUE;
      for (int moment = from; moment <= to; moment++) {
        least = Math.min(least, expected[moment][query][rank]);
      }
      if (scores[rank] < least) {
        return true;
      }
    }
    return false;
  }

  /** Returns an error that says what would have been right. */
  public AssertionError wrong(int[] scores, int query, int from, int to) {
    StringBuilder moments = new StringBuilder();
    for (int moment = from; moment <= to; moment++) {
      moments.append("\n  ").append(Arrays.toString(expected[moment][query]));
    }
    return new AssertionError(
        "no moment allows this answer: query="
            + Arrays.toString(QUERIES[query])
            + ", ranks="
            + ranks
            + ", scores="
            + Arrays.toString(scores)
            + ", from="
            + from
            + ", to="
            + to
            + ", expected="
            + moments);
  }
}
