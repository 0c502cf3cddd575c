// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The choice behind {@link PoolDispatcher}: choosing and counting are one step under one lock.
 *
 * <p><b>Threads.</b> Any.
 */
final class WorkerPool {
  private final PoolPolicy policy;
  private final RandomSource random;

  // Everything below belongs to the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final Eligibility eligibility;
  private final Map<WorkerWithDpRank, Integer> inFlight = new LinkedHashMap<>();
  private RankTable table = RankTable.EMPTY;
  private long firstAttempts;
  private long retries;

  WorkerPool(
      PoolPolicy policy,
      WorkerDirectory directory,
      @Nullable WorkerHealth health,
      @Nullable LoadMonitor monitor,
      RandomSource random) {
    this.policy = policy;
    this.eligibility = new Eligibility(directory, health, monitor, RankLoads.none());
    this.random = random;
  }

  Placement place(BookingKey key, RoutingHints hints, Set<WorkerWithDpRank> failed) {
    lock.lock();
    try {
      table = eligibility.refresh();
      int index = choose(key, hints, failed);
      if (policy == PoolPolicy.ROUND_ROBIN) {
        count(key);
      }
      inFlight.merge(table.rank(index), 1, Integer::sum);
      return new Held(table.instance(index), table.rank(index));
    } finally {
      lock.unlock();
    }
  }

  int inFlightCount() {
    lock.lock();
    try {
      int sum = 0;
      for (int count : inFlight.values()) {
        sum += count;
      }
      return sum;
    } finally {
      lock.unlock();
    }
  }

  private int choose(BookingKey key, RoutingHints hints, Set<WorkerWithDpRank> failed) {
    while (true) {
      int count = eligibility.collect(hints, failed);
      if (count == 0) {
        throw eligibility.explain(key, hints, failed, false);
      }
      int index = eligibility.eligible(pick(key, count));
      if (eligibility.admit(table.rank(index))) {
        return index;
      }
    }
  }

  private int pick(BookingKey key, int count) {
    return switch (policy) {
      case ROUND_ROBIN -> (int) ((isFirst(key) ? firstAttempts : retries) % count);
      case RANDOM -> random.nextInt(count);
      case LEAST_LOADED -> leastLoaded(count);
    };
  }

  private void count(BookingKey key) {
    if (isFirst(key)) {
      firstAttempts++;
    } else {
      retries++;
    }
  }

  private static boolean isFirst(BookingKey key) {
    return key.attempt() == 0;
  }

  private int leastLoaded(int count) {
    int best = 0;
    int least = load(0);
    int ties = 1;
    for (int i = 1; i < count; i++) {
      int load = load(i);
      if (load < least) {
        best = i;
        least = load;
        ties = 1;
      } else if (load == least && random.nextInt(++ties) == 0) {
        best = i;
      }
    }
    return best;
  }

  private int load(int i) {
    return inFlight.getOrDefault(table.rank(eligibility.eligible(i)), 0);
  }

  private void giveBack(WorkerWithDpRank worker) {
    lock.lock();
    try {
      inFlight.computeIfPresent(worker, (rank, count) -> count == 1 ? null : count - 1);
    } finally {
      lock.unlock();
    }
  }

  /** One attempt in flight. */
  private final class Held implements Placement {
    private final WorkerInstance instance;
    private final WorkerWithDpRank worker;
    private final AtomicBoolean released = new AtomicBoolean();

    Held(WorkerInstance instance, WorkerWithDpRank worker) {
      this.instance = instance;
      this.worker = worker;
    }

    @Override
    public WorkerInstance instance() {
      return instance;
    }

    @Override
    public WorkerWithDpRank worker() {
      return worker;
    }

    @Override
    public void tokensArrived(int count) {
      // Load is counted in requests only.
    }

    @Override
    public void release() {
      if (released.compareAndSet(false, true)) {
        giveBack(worker);
      }
    }
  }
}
