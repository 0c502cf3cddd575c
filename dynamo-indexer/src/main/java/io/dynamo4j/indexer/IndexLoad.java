// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.concurrent.CompletionStage;

/**
 * Stores that an index applies beside what it holds, and that no lookup sees before all of them are
 * known to be right: what a snapshot holds while it is still being read.
 *
 * <p>Removals that come meanwhile, of blocks, ranks or workers, act on both.
 *
 * <p><b>Threads.</b> One caller at a time; no method waits.
 */
public interface IndexLoad {

  /** Hands in one store; false if the index has no room before its next flush, or is closed. */
  boolean submit(RouterEvent event);

  /** As {@link KvIndexer#expect}. */
  void expect(WorkerWithDpRank worker, long blocks);

  /**
   * Has lookups see all of it; each lane's part at one moment. O(1) where the index holds nothing
   * by then, O(blocks) on a lane otherwise.
   *
   * @return completes once they do; exceptionally if the index closes first
   */
  CompletionStage<Void> commit();

  /** Drops all of it; the index is as if it had never come. Nothing after a commit. */
  void abandon();
}
