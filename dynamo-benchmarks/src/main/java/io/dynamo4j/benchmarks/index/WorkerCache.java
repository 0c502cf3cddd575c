// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.collect.LongIntMap;
import java.util.Arrays;

/** The blocks of one worker by external hash, in order of recency. */
final class WorkerCache {
  /*
   * A circular list through numbered cells; cell 0 is its head and no block:
   *
   *   newer[0] the oldest block    older[0] the newest block
   *   cells    [ hash -> cell ]    cell numbers begin at 1
   */
  private final LongIntMap cells = LongIntMap.create(0);
  private final int capacity;
  private long[] hashes = new long[16];
  private int[] newer = new int[16];
  private int[] older = new int[16];
  private int cellCount = 1;
  private int freeCell; // linked by newer, 0 if none

  WorkerCache(int capacity) {
    this.capacity = capacity;
  }

  int size() {
    return cells.size();
  }

  boolean holds(long hash) {
    return cells.get(hash) != 0;
  }

  /** Returns how many blocks of the chain from its first on are held. */
  int hit(long[] chain) {
    int hit = 0;
    while (hit < chain.length && holds(chain[hit])) {
      hit++;
    }
    return hit;
  }

  /** Takes a chain in and returns what had to leave, in order. */
  long[] take(long[] chain, int hit, LogShape.Evict evict) {
    for (int i = chain.length - 1; i >= 0; i--) {
      touch(chain[i]);
    }
    int missing = 0;
    for (int i = hit; i < chain.length; i++) {
      missing += holds(chain[i]) ? 0 : 1;
    }
    long[] evicted = new long[Math.max(0, size() + missing - capacity)];
    for (int i = 0; i < evicted.length; i++) {
      evicted[i] = removeOldest();
    }
    for (int i = 0; i < chain.length; i++) {
      long hash = chain[evict == LogShape.Evict.TAIL ? chain.length - 1 - i : i];
      if (!touch(hash)) {
        insert(hash);
      }
    }
    return evicted;
  }

  /** Copies the hashes of all blocks to {@code target} from {@code offset} on. */
  void copyTo(long[] target, int offset) {
    int at = offset;
    for (int cell = newer[0]; cell != 0; cell = newer[cell]) {
      target[at++] = hashes[cell];
    }
  }

  private boolean touch(long hash) {
    int cell = cells.get(hash);
    if (cell == 0) {
      return false;
    }
    unlink(cell);
    linkNewest(cell);
    return true;
  }

  private void insert(long hash) {
    int cell = freeCell;
    if (cell != 0) {
      freeCell = newer[cell];
    } else {
      cell = cellCount++;
      if (cell == hashes.length) {
        hashes = Arrays.copyOf(hashes, cell * 2);
        newer = Arrays.copyOf(newer, cell * 2);
        older = Arrays.copyOf(older, cell * 2);
      }
    }
    hashes[cell] = hash;
    cells.put(hash, cell);
    linkNewest(cell);
  }

  private long removeOldest() {
    int cell = newer[0];
    unlink(cell);
    newer[cell] = freeCell;
    freeCell = cell;
    cells.put(hashes[cell], 0);
    return hashes[cell];
  }

  private void linkNewest(int cell) {
    int newest = older[0];
    older[cell] = newest;
    newer[cell] = 0;
    newer[newest] = cell;
    older[0] = cell;
  }

  private void unlink(int cell) {
    older[newer[cell]] = older[cell];
    newer[older[cell]] = newer[cell];
  }
}
