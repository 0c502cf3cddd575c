// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Blocks in orders of use: entries of parallel arrays, each in one order at most. One lane.
 *
 * <p>Every operation is O(1) and makes no garbage once the arrays have grown.
 */
final class BlockRecency {
  /** No entry. */
  static final int NONE = -1;

  private static final int INITIAL_ROOM = 64;

  /** One order, the longest unused first. */
  static final class Order {
    private int oldest = NONE;
    private int newest = NONE;

    int oldest() {
      return oldest;
    }
  }

  private long[] hashes = new long[INITIAL_ROOM];
  private @Nullable DecidedRank[] ranks = new DecidedRank[INITIAL_ROOM];
  private long[] usedNanos = new long[INITIAL_ROOM];
  private int[] pins = new int[INITIAL_ROOM];
  private int[] older = new int[INITIAL_ROOM];
  private int[] newer = new int[INITIAL_ROOM];
  private int fresh;
  private int free = NONE;
  private int size;

  int size() {
    return size;
  }

  /** Returns a new entry that is in no order. */
  int create(DecidedRank rank, long hash) {
    int entry = free;
    if (entry != NONE) {
      free = newer[entry];
    } else {
      entry = fresh++;
      if (entry == hashes.length) {
        grow(entry * 2);
      }
    }
    hashes[entry] = hash;
    ranks[entry] = rank;
    pins[entry] = 0;
    size++;
    return entry;
  }

  private void grow(int room) {
    hashes = Arrays.copyOf(hashes, room);
    ranks = Arrays.copyOf(ranks, room);
    usedNanos = Arrays.copyOf(usedNanos, room);
    pins = Arrays.copyOf(pins, room);
    older = Arrays.copyOf(older, room);
    newer = Arrays.copyOf(newer, room);
  }

  /** Ends an entry that is in no order. */
  void drop(int entry) {
    ranks[entry] = null;
    newer[entry] = free;
    free = entry;
    size--;
  }

  void append(Order order, int entry, long nowNanos) {
    usedNanos[entry] = nowNanos;
    older[entry] = order.newest;
    newer[entry] = NONE;
    if (order.newest == NONE) {
      order.oldest = entry;
    } else {
      newer[order.newest] = entry;
    }
    order.newest = entry;
  }

  void unlink(Order order, int entry) {
    int before = older[entry];
    int after = newer[entry];
    if (before == NONE) {
      order.oldest = after;
    } else {
      newer[before] = after;
    }
    if (after == NONE) {
      order.newest = before;
    } else {
      older[after] = before;
    }
  }

  long hash(int entry) {
    return hashes[entry];
  }

  DecidedRank rank(int entry) {
    return Objects.requireNonNull(ranks[entry], "rank");
  }

  long usedNanos(int entry) {
    return usedNanos[entry];
  }

  /** Counts one more request that holds a block; returns how many there were. */
  int pin(int entry) {
    return pins[entry]++;
  }

  /** Counts one request less that holds a block; returns how many are left. */
  int unpin(int entry) {
    return --pins[entry];
  }

  boolean isPinned(int entry) {
    return pins[entry] > 0;
  }
}
