// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import java.util.Locale;

/**
 * What an {@link OperationLog} is made of besides its trace.
 *
 * @param copies salted copies of every row, at most 65,536
 * @param factor blocks made of every hash id, at most 256
 * @param workers number of workers
 * @param capacity blocks that a worker's cache holds
 * @param holdOut the last 1/N of the requests are lookups only; 0 for none
 * @param assign which worker a request goes to
 * @param evict which end of a prompt leaves a cache first
 */
public record LogShape(
    int copies, int factor, int workers, int capacity, int holdOut, Assign assign, Evict evict) {

  public static final int DEFAULT_CAPACITY = 16_384;
  public static final int DEFAULT_HOLD_OUT = 10;

  /** Which worker a request goes to. */
  public enum Assign {
    /** Rows and copies go round. */
    RR,
    /** By the second hash id of the row, the first if there is only one. */
    STICKY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Which end of a prompt is the least recent. */
  public enum Evict {
    /** A parent is more recent than its child: caches stay closed under prefixes. */
    TAIL,
    /** The other way round: caches get holes. */
    HEAD;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public LogShape {
    requireIn("copies", copies, 1, 1 << 16);
    requireIn("factor", factor, 1, 256);
    requireIn("workers", workers, 1, 1 << 14);
    requireIn("capacity", capacity, 1, 1 << 24);
    requireIn("holdout", holdOut, 0, Integer.MAX_VALUE);
  }

  private static void requireIn(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "out of range: " + name + "=" + value + ", least=" + least + ", most=" + most);
    }
  }

  /** Returns a shape with caches of 16,384 blocks, a tenth held out, round-robin, tail eviction. */
  public static LogShape of(int copies, int factor, int workers) {
    return new LogShape(
        copies, factor, workers, DEFAULT_CAPACITY, DEFAULT_HOLD_OUT, Assign.RR, Evict.TAIL);
  }

  /** Returns a short name for quantities; parts at their defaults are left out. */
  public String label() {
    StringBuilder label = new StringBuilder();
    label.append('x').append(copies).append(" f").append(factor).append(" W").append(workers);
    if (capacity != DEFAULT_CAPACITY) {
      label.append(" capacity ").append(capacity);
    }
    if (holdOut != DEFAULT_HOLD_OUT) {
      label.append(" holdout ").append(holdOut);
    }
    if (assign != Assign.RR) {
      label.append(' ').append(assign);
    }
    if (evict != Evict.TAIL) {
      label.append(' ').append(evict);
    }
    return label.toString();
  }
}
