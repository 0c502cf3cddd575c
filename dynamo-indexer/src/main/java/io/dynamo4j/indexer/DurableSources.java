// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which ranks write their events to a durable log, and whether the router reads it: what a router's
 * health compares, because a rank that writes where nobody reads, or does not write where the
 * router reads, looks like one that is silent.
 *
 * <p>Whoever knows tells it, whenever it learns it, as often as it likes:
 *
 * <pre>{@code
 * DurableSources durable = DurableSources.create(readsLog);
 * // The reader of the log, for each message; whoever sees the log of a router that does not read
 * // it, for each rank found there.
 * durable.written(event.worker());
 * // Whoever knows that a rank publishes live alone: its publisher's settings, or its live event
 * // that the log has not shown.
 * durable.liveOnly(rank);
 * KvRouter.builder()….durableSources(durable)
 * }</pre>
 *
 * <p>Ranks of which nothing was told agree with the router. A rank keeps what was told last until
 * its worker is forgotten; {@value #MAX_RANKS} ranks are kept.
 *
 * <p><b>Threads.</b> Any. Cost: one map access under a lock.
 */
public final class DurableSources {
  /** How many ranks are remembered; those told longest ago go first. */
  public static final int MAX_RANKS = 65_536;

  private final boolean readsLog;
  private final ReentrantLock lock = new ReentrantLock();
  private final Told told = new Told(); // lock

  private DurableSources(boolean readsLog) {
    this.readsLog = readsLog;
  }

  /** Whether each rank writes to the log. */
  private static final class Told extends LinkedHashMap<WorkerWithDpRank, Boolean> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<WorkerWithDpRank, Boolean> eldest) {
      return size() > MAX_RANKS;
    }
  }

  /**
   * Returns an account of which nothing was told yet.
   *
   * @param readsLog whether the router's index is fed from the durable log
   */
  public static DurableSources create(boolean readsLog) {
    return new DurableSources(readsLog);
  }

  /** Returns whether the router's index is fed from the durable log. */
  public boolean readsLog() {
    return readsLog;
  }

  /** Tells that an event of a rank is in the durable log. */
  public void written(WorkerWithDpRank rank) {
    tell(rank, Boolean.TRUE);
  }

  /** Tells that a rank publishes events and writes none to the durable log. */
  public void liveOnly(WorkerWithDpRank rank) {
    tell(rank, Boolean.FALSE);
  }

  private void tell(WorkerWithDpRank rank, Boolean writes) {
    Objects.requireNonNull(rank, "rank");
    lock.lock();
    try {
      told.remove(rank);
      told.put(rank, writes);
    } finally {
      lock.unlock();
    }
  }

  /** Forgets a worker's ranks: it is gone, or another life of it began. */
  public void forget(long workerId) {
    lock.lock();
    try {
      told.keySet().removeIf(rank -> rank.workerId() == workerId);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the ranks that write where the router does not read, or the other way round. */
  public List<WorkerWithDpRank> oneSided() {
    List<WorkerWithDpRank> ranks = new ArrayList<>();
    lock.lock();
    try {
      told.forEach(
          (rank, writes) -> {
            if (writes != readsLog) {
              ranks.add(rank);
            }
          });
    } finally {
      lock.unlock();
    }
    ranks.sort(null);
    return ranks;
  }
}
