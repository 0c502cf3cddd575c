// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;

/**
 * Listens to who publishes live and holds it against who is in the log: a rank that publishes and
 * is not seen in the log for a while does not write there. Belongs to the feed's lane.
 */
final class LiveSources implements AutoCloseable {
  private final FeedCore core;
  private final OneSidedRanks ranks;
  private final LivePublishers publishers;

  /** Where live events are, and who is told. */
  record Settings(EventPlane plane, EventScope scope, DurableSources sources) {}

  LiveSources(FeedCore core, Settings settings) {
    this.core = core;
    this.ranks = new OneSidedRanks(settings.sources());
    this.publishers =
        new LivePublishers(
            settings.plane(),
            settings.scope(),
            core.lane,
            core.random.split("live-sources").nextLong(),
            rank -> ranks.elsewhere(rank, core.now()));
  }

  /** An event of the log. */
  void logged(WorkerWithDpRank rank) {
    ranks.here(rank, core.now());
  }

  /** Tells of ranks that the log has not shown in time; called while the log can be read. */
  void check() {
    ranks.check(core.now());
  }

  /** The log cannot be read: what it does not show says nothing. */
  void pause() {
    ranks.pause();
  }

  /** Forgets a worker. */
  void forget(long workerId) {
    ranks.forget(workerId);
  }

  @Override
  public void close() {
    publishers.close();
  }
}
