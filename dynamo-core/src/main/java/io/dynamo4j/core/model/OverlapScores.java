// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Arrays;
import java.util.Objects;

/**
 * Result of one prefix lookup: how many leading blocks of the query each worker holds.
 *
 * <p>Owned by the caller and reused from lookup to lookup, so that a lookup makes no garbage.
 * Workers without a match are absent. Order is that of the index and means nothing.
 *
 * <p><b>Threads.</b> Not thread-safe: one caller.
 */
public final class OverlapScores {
  private WorkerWithDpRank[] workers = new WorkerWithDpRank[16];
  private int[] depths = new int[16];
  private int size;
  private long[] scratch = new long[1];

  private OverlapScores() {}

  public static OverlapScores create() {
    return new OverlapScores();
  }

  /** Forgets the last result and keeps its room. */
  public void clear() {
    Arrays.fill(workers, 0, size, null);
    size = 0;
  }

  /**
   * Adds one worker; the index calls this, at most once a worker.
   *
   * @param depth matched leading blocks, at least 1
   */
  public void add(WorkerWithDpRank worker, int depth) {
    if (size == depths.length) {
      workers = Arrays.copyOf(workers, size * 2);
      depths = Arrays.copyOf(depths, size * 2);
    }
    workers[size] = Objects.requireNonNull(worker, "worker");
    depths[size++] = depth;
  }

  /**
   * Returns room for an index's own use during one lookup, so that it needs none of its own:
   * contents undefined, at least {@code words} longs.
   */
  public long[] scratch(int words) {
    if (scratch.length < words) {
      scratch = new long[words];
    }
    return scratch;
  }

  /** Returns the number of workers that matched at least one block. */
  public int size() {
    return size;
  }

  public WorkerWithDpRank worker(int index) {
    return workers[Objects.checkIndex(index, size)];
  }

  /** Returns matched leading blocks of {@code worker(index)}. */
  public int depth(int index) {
    return depths[Objects.checkIndex(index, size)];
  }

  /** Returns matched leading blocks of a worker, 0 if it is absent. O({@link #size()}). */
  public int depthOf(WorkerWithDpRank worker) {
    for (int i = 0; i < size; i++) {
      if (workers[i].equals(worker)) {
        return depths[i];
      }
    }
    return 0;
  }
}
