// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

/**
 * Finds out whether a list names a hash twice: in O(length) expected, where sorting the hashes of
 * an event costs more than reading them.
 *
 * <p>Open addressing, at most half full. Places of earlier lists count as free, so that nothing is
 * cleared between two. Hashes are a peer's: they are mixed with a seed.
 */
final class HashRepeats {
  private static final int MIN_CAPACITY = 128;
  private static final int RETAINED = 1 << 16;

  private final long seed;
  private long[] hashes = new long[MIN_CAPACITY];

  /** Which list put the hash there; lists are numbered from 1. */
  private int[] lists = new int[MIN_CAPACITY];

  private int list;

  HashRepeats(long seed) {
    this.seed = seed;
  }

  /** Returns whether two of the first {@code count} hashes are equal. */
  boolean isIn(long[] some, int count) {
    startList(count);
    for (int i = 0; i < count; i++) {
      if (!add(some[i])) {
        return true;
      }
    }
    return false;
  }

  private void startList(int count) {
    if (hashes.length < 2 * count || hashes.length > RETAINED || list == Integer.MAX_VALUE) {
      int capacity = Math.max(MIN_CAPACITY, Integer.highestOneBit(Math.max(count, 1)) * 4);
      hashes = new long[capacity];
      lists = new int[capacity];
      list = 0;
    }
    list++;
  }

  private boolean add(long hash) {
    int mask = hashes.length - 1;
    int slot = home(hash, mask);
    while (lists[slot] == list) {
      if (hashes[slot] == hash) {
        return false;
      }
      slot = (slot + 1) & mask;
    }
    hashes[slot] = hash;
    lists[slot] = list;
    return true;
  }

  private int home(long hash, int mask) {
    long mixed = (hash ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    return (int) (mixed >>> 32) & mask;
  }
}
