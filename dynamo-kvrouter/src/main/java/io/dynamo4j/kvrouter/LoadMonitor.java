// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.plane.WorkerInstance;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which workers of one model are too busy for more requests, whatever chooses among them.
 *
 * <p>A rank is busy if any threshold that is set is exceeded, strictly. A worker is out only when
 * all of its ranks are: the cost sees to the others. What counts is what the router booked and what
 * the worker told, whichever is more. A figure that was told ages: one that is not told again
 * within its lifetime counts no longer, so that a worker fallen silent while busy comes back.
 *
 * <p>Thresholds may be changed at any time and hold from the next decision on.
 *
 * <p><b>Threads.</b> Any.
 */
public final class LoadMonitor {
  /** How long a told figure counts unless the builder says otherwise. */
  public static final long DEFAULT_LIFETIME_NANOS = 30_000_000_000L;

  /** The budget of a worker that declared none, as in Dynamo. */
  static final long DEFAULT_BATCHED_TOKENS = 10_000_000;

  private static final AtomicReferenceFieldUpdater<LoadMonitor, LoadThresholds> THRESHOLDS =
      AtomicReferenceFieldUpdater.newUpdater(LoadMonitor.class, LoadThresholds.class, "thresholds");

  private static final int MAX_RANKS = 65_536;

  private final NanoClock clock;
  private final long lifetimeNanos;
  private volatile LoadThresholds thresholds;

  private final ReentrantLock lock = new ReentrantLock();
  private final Reports reports = new Reports(); // lock

  private LoadMonitor(Builder builder) {
    this.clock = builder.clock;
    this.lifetimeNanos = builder.lifetimeNanos;
    this.thresholds = builder.thresholds;
  }

  /** The last figures of each rank, those told longest ago first; bounded. */
  private static final class Reports extends LinkedHashMap<WorkerWithDpRank, Told> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<WorkerWithDpRank, Told> eldest) {
      return size() > MAX_RANKS;
    }
  }

  /** Each figure with the time it was told at. */
  private static final class Told {
    private long prefillTokens;
    private long decodeBlocks;
    private long usedBlocks;
    private long prefillAtNanos;
    private long decodeAtNanos;
    private long usedAtNanos;
  }

  /** Returns a monitor that excludes nobody until it is told thresholds. */
  public static LoadMonitor create(NanoClock clock) {
    return builder(clock).build();
  }

  public static Builder builder(NanoClock clock) {
    return new Builder(clock);
  }

  public LoadThresholds thresholds() {
    return thresholds;
  }

  /** Sets what holds from the next decision on. */
  public void thresholds(LoadThresholds thresholds) {
    this.thresholds = Objects.requireNonNull(thresholds, "thresholds");
  }

  /**
   * Replaces the thresholds by what is made of them, in one step: of two changes at once none is
   * lost.
   *
   * @param change may be asked more than once; if it throws, nothing changes
   * @return the thresholds from now on
   */
  public LoadThresholds changeThresholds(UnaryOperator<LoadThresholds> change) {
    while (true) {
      LoadThresholds before = thresholds;
      LoadThresholds after = Objects.requireNonNull(change.apply(before), "thresholds");
      if (THRESHOLDS.compareAndSet(this, before, after)) {
        return after;
      }
    }
  }

  /** Takes what a rank says about itself. */
  public void report(WorkerWithDpRank worker, RankLoadReport report) {
    long now = clock.nanoTime();
    lock.lock();
    try {
      Told before = reports.remove(worker);
      Told told = before == null ? new Told() : before;
      if (report.activePrefillTokens() >= 0) {
        told.prefillTokens = report.activePrefillTokens();
        told.prefillAtNanos = now;
      }
      if (report.activeDecodeBlocks() >= 0) {
        told.decodeBlocks = report.activeDecodeBlocks();
        told.decodeAtNanos = now;
      }
      if (report.kvUsedBlocks() >= 0) {
        told.usedBlocks = report.kvUsedBlocks();
        told.usedAtNanos = now;
      }
      reports.put(worker, told);
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what a worker's ranks told: it is gone, or another life of it began. */
  public void forget(long workerId) {
    lock.lock();
    try {
      reports.keySet().removeIf(rank -> rank.workerId() == workerId);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether anybody could be excluded. */
  boolean isActive() {
    return !thresholds.isNone();
  }

  /** Returns whether every rank of the worker is busy. */
  boolean isOverloaded(WorkerInstance instance, RankLoads loads) {
    LoadThresholds now = thresholds;
    for (int i = 0; i < instance.dpSize(); i++) {
      if (!isBusy(now, seen(instance, instance.rank(i), loads))) {
        return false;
      }
    }
    return true;
  }

  /** Returns a rank's load as decisions see it. */
  BusyRank seen(WorkerInstance instance, WorkerWithDpRank rank, RankLoads loads) {
    WorkerLoad booked = loads.load(rank);
    long prefillTokens = booked.prefillTokens();
    long blocks = booked.blocks();
    long now = clock.nanoTime();
    lock.lock();
    try {
      @Nullable Told told = reports.get(rank);
      if (told != null) {
        prefillTokens =
            Math.max(prefillTokens, fresh(told.prefillTokens, told.prefillAtNanos, now));
        blocks = Math.max(blocks, fresh(told.decodeBlocks, told.decodeAtNanos, now));
        blocks = Math.max(blocks, fresh(told.usedBlocks, told.usedAtNanos, now));
      }
    } finally {
      lock.unlock();
    }
    return new BusyRank(
        rank, prefillTokens, blocks, instance.totalKvBlocks(), instance.maxBatchedTokens());
  }

  private long fresh(long figure, long toldAtNanos, long now) {
    return now - toldAtNanos < lifetimeNanos ? figure : 0;
  }

  private static boolean isBusy(LoadThresholds thresholds, BusyRank rank) {
    Long tokens = thresholds.activePrefillTokens();
    if (tokens != null && rank.prefillTokens() > tokens) {
      return true;
    }
    Double fraction = thresholds.activePrefillTokensFraction();
    if (fraction != null
        && rank.prefillTokens() > Math.floor(fraction * budget(rank.maxBatchedTokens()))) {
      return true;
    }
    Double blocks = thresholds.activeDecodeBlocks();
    return blocks != null
        && rank.totalBlocks() > 0
        && rank.decodeBlocks() > blocks * rank.totalBlocks();
  }

  static long budget(long maxBatchedTokens) {
    return maxBatchedTokens > 0 ? maxBatchedTokens : DEFAULT_BATCHED_TOKENS;
  }

  /** Builds a {@link LoadMonitor}: no thresholds, figures count for 30 s. */
  public static final class Builder {
    private final NanoClock clock;
    private LoadThresholds thresholds = LoadThresholds.none();
    private long lifetimeNanos = DEFAULT_LIFETIME_NANOS;

    private Builder(NanoClock clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
    }

    public Builder thresholds(LoadThresholds thresholds) {
      this.thresholds = Objects.requireNonNull(thresholds, "thresholds");
      return this;
    }

    /**
     * Sets how long a told figure counts.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder lifetimeNanos(long nanos) {
      if (nanos < 1) {
        throw new IllegalArgumentException("lifetime must be positive: nanos=" + nanos);
      }
      this.lifetimeNanos = nanos;
      return this;
    }

    public LoadMonitor build() {
      return new LoadMonitor(this);
    }
  }
}
