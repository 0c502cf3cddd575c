// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** One entry of a lane's queue. */
sealed interface IndexUpdate {

  /**
   * Returns whether it may be refused when too many wait. What must not be refused takes no room
   * either: barriers that wait for room could otherwise fill it among themselves.
   */
  default boolean takesRoom() {
    return false;
  }

  record Event(RouterEvent event) implements IndexUpdate {
    @Override
    public boolean takesRoom() {
      return true;
    }
  }

  /** The begin of a load: from here on removals act on it too. */
  record LoadBegun(LaneLoad load) implements IndexUpdate {}

  record Loaded(LaneLoad load, RouterEvent event) implements IndexUpdate {
    @Override
    public boolean takesRoom() {
      return true;
    }
  }

  record LoadExpected(LaneLoad load, WorkerWithDpRank worker, long blocks) implements IndexUpdate {}

  /**
   * The end of a load.
   *
   * @param isRight whether lookups may see it
   */
  record LoadEnded(LaneLoad load, boolean isRight) implements IndexUpdate {}

  record WorkerGone(long workerId) implements IndexUpdate {}

  record RankGone(WorkerWithDpRank worker) implements IndexUpdate {}

  record Expected(WorkerWithDpRank worker, long blocks) implements IndexUpdate {}

  record Decided(RoutingDecision decision, QueuedLease lease) implements IndexUpdate {
    @Override
    public boolean takesRoom() {
      return true;
    }
  }

  record LeaseGrown(QueuedLease lease) implements IndexUpdate {}

  record LeaseEnded(QueuedLease lease) implements IndexUpdate {}

  record Held(WorkerWithDpRank worker, CompletableFuture<Optional<long[]>> hashes)
      implements IndexUpdate {}

  record Dump(Consumer<RouterEvent> sink, CompletableFuture<Void> done) implements IndexUpdate {}

  record Barrier(FlushBarrier barrier) implements IndexUpdate {}
}
