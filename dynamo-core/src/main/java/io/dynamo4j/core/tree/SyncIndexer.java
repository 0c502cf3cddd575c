// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.function.Consumer;

/**
 * Which rank holds which prefix, from the events of the ranks themselves.
 *
 * <p><b>Model.</b> A <i>place</i> is a path of local hashes from the root. A rank holds pairs
 * (external hash, place); it holds a place while it holds at least one pair of it. Everything said
 * about a rank is a function of that rank's own events, whatever other ranks hold:
 *
 * <table>
 * <caption>Effect of an event on the pairs of its rank</caption>
 * <tr><th>event</th><th>effect</th></tr>
 * <tr><td>store at the root</td><td>adds one pair a block, each place under the one before</td></tr>
 * <tr><td>store under a parent</td><td>the same below the place of the parent hash, the latest one
 *     if the hash has several; unknown to this rank: nothing is applied</td></tr>
 * <tr><td>store naming its own parent</td><td>nothing is applied</td></tr>
 * <tr><td>pair stored again</td><td>no change, but its place is now the latest of the hash</td></tr>
 * <tr><td>known hash at another place</td><td>the hash is held at both places</td></tr>
 * <tr><td>known place, other hash</td><td>the place is held by both hashes</td></tr>
 * <tr><td>removal</td><td>drops all pairs of each hash; unknown hashes are counted, the rest is
 *     applied</td></tr>
 * <tr><td>removal in mid-chain</td><td>the places below stay held and cannot be reached; they count
 *     again once the gap is stored again, by whatever hash</td></tr>
 * <tr><td>clear</td><td>drops all pairs of the emitting rank</td></tr>
 * </table>
 *
 * <p>The score of a rank is the largest k such that it holds the first k places of the query.
 *
 * <p><b>Threads.</b> One writer at a time; whether readers may run beside it is the
 * implementation's to say. The storage tier of an event is not looked at.
 */
public interface SyncIndexer {

  /**
   * Applies one event. O(blocks of the event).
   *
   * @return the outcome, valid until the next call; never null
   */
  ApplyResult apply(RouterEvent event);

  /**
   * Replaces {@code out} by the ranks that hold at least the first block of the query, each once,
   * with its score.
   *
   * @param localHashes local hash of each block of the prompt, from its first
   * @param count how many of them form the query
   * @throws IndexOutOfBoundsException if {@code count} is negative or beyond the array
   */
  void findMatches(long[] localHashes, int count, OverlapScores out);

  /**
   * As {@link #findMatches(long[], int, OverlapScores)}, within a scope.
   *
   * @throws IndexOutOfBoundsException if {@code count} is negative or beyond the array
   */
  default void findMatches(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
    findMatches(localHashes, count, out);
    for (int i = out.size() - 1; i >= 0; i--) {
      if (!scope.includes(out.worker(i))) {
        out.lower(i, 0);
      }
    }
  }

  /**
   * Returns the score of one rank, 0 if it holds nothing of the query.
   *
   * @param scratch overwritten
   * @throws IndexOutOfBoundsException if {@code count} is negative or beyond the array
   */
  default int depthOf(
      WorkerWithDpRank worker, long[] localHashes, int count, OverlapScores scratch) {
    findMatches(localHashes, count, scratch);
    return scratch.depthOf(worker);
  }

  /** Forgets every rank of a worker; unknown workers are no fault. */
  void removeWorker(long workerId);

  /** Forgets one rank; an unknown one is no fault. */
  void removeWorkerDpRank(WorkerWithDpRank worker);

  /** Returns the number of (hash, place) pairs over all ranks. */
  long blockCount();

  /**
   * Writes the index as store events which, applied to an empty one in this order, answer every
   * query alike. Event ids count from 0. Blocks behind a gap are left out: no query reaches them
   * and a store under a missing parent would be refused.
   */
  void dump(Consumer<RouterEvent> sink);
}
