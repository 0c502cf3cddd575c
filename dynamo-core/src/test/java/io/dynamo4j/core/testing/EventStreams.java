// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Seeded streams of what can happen to an index, narrow enough that everything meets everything:
 * few workers, few contents, few hashes.
 *
 * <p>A stream mixes stores at the root and under known, forgotten, foreign and unknown parents,
 * duplicates, removals in mid-chain and of unknown hashes, clears, workers and ranks that go.
 */
public final class EventStreams {

  /** Where external hashes come from. */
  public enum Hashes {
    /** A function of the path, the same on every worker: what current engines do. */
    OF_CONTENT,
    /** A function of worker and path: equal content, other hashes. */
    OF_WORKER_AND_CONTENT,
    /** A function of the path and of one of two salts: a place under two hashes. */
    TWO_PER_CONTENT,
    /** Drawn from a handful, zero and negative ones among them: one hash at several places. */
    FEW
  }

  private static final long[] WORKERS = {0, 1, -7};
  private static final long[] LOCALS = {0, 1, -1};
  private static final long[] FEW = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 77};

  private final RandomSource random;
  private final Hashes hashes;
  private final ReferenceIndex known = ReferenceIndex.create();
  private final List<IndexStep> steps = new ArrayList<>();
  // Hashes that some rank held at some time, to be named again when they are gone.
  private final List<Long> everHeld = new ArrayList<>();

  private EventStreams(RandomSource random, Hashes hashes) {
    this.random = random;
    this.hashes = hashes;
  }

  /** Returns all ranks that streams speak of. */
  public static List<WorkerWithDpRank> ranks() {
    List<WorkerWithDpRank> ranks = new ArrayList<>();
    for (long worker : WORKERS) {
      ranks.add(new WorkerWithDpRank(worker, 0));
      ranks.add(new WorkerWithDpRank(worker, 1));
    }
    return ranks;
  }

  /** Returns the stream of a seed. */
  public static List<IndexStep> of(long seed, Hashes hashes, int length) {
    EventStreams stream = new EventStreams(RandomSource.seeded(seed), hashes);
    while (stream.steps.size() < length) {
      IndexStep step = stream.next();
      step.applyTo(stream.known);
      stream.steps.add(step);
    }
    return stream.steps;
  }

  private IndexStep next() {
    WorkerWithDpRank worker = new WorkerWithDpRank(pick(WORKERS), random.nextInt(2));
    int kind = random.nextInt(100);
    if (kind < 55) {
      return new IndexStep.Event(worker, store(worker));
    }
    if (kind < 92) {
      return new IndexStep.Event(worker, KvCacheEventData.Removed.of(removal(worker)));
    }
    if (kind < 95) {
      return new IndexStep.Event(worker, KvCacheEventData.Cleared.instance());
    }
    if (kind < 97) {
      return new IndexStep.WorkerGone(worker.workerId());
    }
    if (kind < 98 || steps.isEmpty()) {
      return new IndexStep.RankGone(worker);
    }
    return steps.get(random.nextInt(steps.size())); // the same again
  }

  private KvCacheEventData.Stored store(WorkerWithDpRank worker) {
    int count = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(5);
    long[] local = new long[count];
    for (int i = 0; i < count; i++) {
      local[i] = pick(LOCALS);
    }
    List<Long> held = known.hashesOf(worker);
    if (held.isEmpty() || random.nextInt(3) == 0) {
      return KvCacheEventData.Stored.atRoot(external(worker, 0, local), local);
    }
    long parent = random.nextInt(12) == 0 ? stranger() : held.get(random.nextInt(held.size()));
    return KvCacheEventData.Stored.under(parent, external(worker, parent, local), local);
  }

  private long[] external(WorkerWithDpRank worker, long parent, long[] local) {
    long salt =
        switch (hashes) {
          case OF_CONTENT, FEW -> 0;
          case OF_WORKER_AND_CONTENT -> worker.hashCode();
          case TWO_PER_CONTENT -> random.nextInt(2);
        };
    long[] external = new long[local.length];
    long previous = parent;
    for (int i = 0; i < local.length; i++) {
      previous = hashes == Hashes.FEW ? pick(FEW) : mix(previous * 31 + local[i] + salt * 1_009);
      external[i] = previous;
      everHeld.add(previous);
    }
    return external;
  }

  private long[] removal(WorkerWithDpRank worker) {
    List<Long> held = known.hashesOf(worker);
    long[] removed = new long[1 + random.nextInt(3)];
    for (int i = 0; i < removed.length; i++) {
      removed[i] =
          held.isEmpty() || random.nextInt(10) == 0
              ? stranger()
              : held.get(random.nextInt(held.size()));
    }
    return removed;
  }

  private long stranger() {
    return everHeld.isEmpty() || random.nextInt(3) == 0
        ? random.nextLong()
        : everHeld.get(random.nextInt(everHeld.size()));
  }

  private long pick(long[] from) {
    return from[random.nextInt(from.length)];
  }

  private static long mix(long z) {
    long mixed = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    return mixed ^ (mixed >>> 27);
  }
}
