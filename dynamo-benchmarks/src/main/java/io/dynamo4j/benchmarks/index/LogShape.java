// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

/**
 * What an {@link OperationLog} is made of besides its trace.
 *
 * @param copies salted copies of every row
 * @param factor blocks made of every hash id, at most 256
 * @param workers number of workers, which rows and copies go round
 * @param capacity blocks that a worker's cache holds
 * @param holdOut the last 1/N of the requests are lookups only; 0 for none
 * @param evict which end of a prompt leaves a cache first
 */
public record LogShape(
    int copies, int factor, int workers, int capacity, int holdOut, Evict evict) {

  /** Which end of a prompt is the least recent. */
  public enum Evict {
    /** A parent is more recent than its child: caches stay closed under prefixes. */
    TAIL,
    /** The other way round: caches get holes. */
    HEAD
  }

  public LogShape {
    if (copies < 1 || factor < 1 || factor > 256 || workers < 1 || capacity < 1 || holdOut < 0) {
      throw new IllegalArgumentException(
          "shape is out of range: copies="
              + copies
              + ", factor="
              + factor
              + ", workers="
              + workers
              + ", capacity="
              + capacity
              + ", holdOut="
              + holdOut);
    }
  }

  /** Returns one copy, a cache of 16,384 blocks a worker, a tenth held out. */
  public static LogShape of(int factor, int workers) {
    return new LogShape(1, factor, workers, 16_384, 10, Evict.TAIL);
  }

  /** Returns a short name for quantities. */
  public String label() {
    return "f" + factor + " W" + workers + (copies > 1 ? " x" + copies : "");
  }
}
