// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import java.util.Arrays;

/**
 * The blocks of one engine: which full blocks exist, who refers to them, which may go.
 *
 * <p>A block is in one of four states, and the counts of all four add up to the capacity:
 *
 * <ul>
 *   <li><b>pinned</b>: full, found by its hash, used by at least one request; a block that two
 *       requests computed is one block with two references;
 *   <li><b>idle</b>: full, found by its hash, used by nobody; evicted in the order in which blocks
 *       became idle;
 *   <li><b>private</b>: allotted to a request, not yet full, only counted;
 *   <li><b>free</b>: the rest.
 * </ul>
 *
 * <p>Allotting may go beyond the capacity until the next {@link #evictOverflow}: a step first books
 * what every request does and then makes room once. Full blocks sit in slots (parallel arrays,
 * found through an open-addressing table of slot numbers); idle ones form a doubly linked list.
 *
 * <p><b>Threads.</b> Not thread-safe: the engine's lane.
 */
final class BlockPool {
  static final int NONE = -1;

  private final int capacity;
  private int[] table;
  private int mask;
  private long[] hashes;
  private int[] references;
  private int[] older;
  private int[] newer;
  private int usedSlots;
  private int freeSlot = NONE;
  private int oldestIdle = NONE;
  private int newestIdle = NONE;
  private int pinnedCount;
  private int idleCount;
  private int privateCount;

  BlockPool(int capacity) {
    this.capacity = capacity;
    int slots = Math.min(capacity, 1 << 16) + 1;
    hashes = new long[slots];
    references = new int[slots];
    older = new int[slots];
    newer = new int[slots];
    newTable(slots);
  }

  /** Returns the slot of a full block, or {@link #NONE}. */
  int find(long hash) {
    int position = position(hash);
    while (table[position] != NONE) {
      if (hashes[table[position]] == hash) {
        return table[position];
      }
      position = (position + 1) & mask;
    }
    return NONE;
  }

  boolean isIdle(int slot) {
    return references[slot] == 0;
  }

  /** Adds a reference to a full block. */
  void pin(int slot) {
    if (references[slot]++ == 0) {
      unlink(slot);
      idleCount--;
      pinnedCount++;
    }
  }

  /** Adds a full block that is not yet there, with one reference. */
  int insertPinned(long hash) {
    int slot = newSlot();
    hashes[slot] = hash;
    references[slot] = 1;
    pinnedCount++;
    int position = position(hash);
    while (table[position] != NONE) {
      position = (position + 1) & mask;
    }
    table[position] = slot;
    return slot;
  }

  /** Takes a reference back; the last one makes the block idle, the newest of them. */
  void unpin(int slot) {
    if (--references[slot] == 0) {
      pinnedCount--;
      idleCount++;
      linkNewest(slot);
    }
  }

  void addPrivate(int blocks) {
    privateCount += blocks;
  }

  void removePrivate(int blocks) {
    privateCount -= blocks;
  }

  /** Returns blocks that a request could take if every idle one were evicted. */
  int available() {
    return capacity - pinnedCount - privateCount;
  }

  /** Returns whether requests hold more than there is, which no eviction can mend. */
  boolean isOvercommitted() {
    return available() < 0;
  }

  /** Evicts the oldest idle blocks until the capacity is kept or none is left. */
  void evictOverflow(CacheEventLog log) {
    while (pinnedCount + idleCount + privateCount > capacity && oldestIdle != NONE) {
      log.removed(evictOldest());
    }
  }

  /** Forgets every idle block without a word. */
  void dropIdle() {
    while (oldestIdle != NONE) {
      evictOldest();
    }
  }

  int pinnedCount() {
    return pinnedCount;
  }

  int idleCount() {
    return idleCount;
  }

  int privateCount() {
    return privateCount;
  }

  int capacity() {
    return capacity;
  }

  /** Copies the hashes of all full blocks, in no particular order. */
  long[] fullBlockHashes() {
    long[] result = new long[pinnedCount + idleCount];
    int count = 0;
    for (int slot : table) {
      if (slot != NONE) {
        result[count++] = hashes[slot];
      }
    }
    return result;
  }

  /**
   * Throws unless the four counts add up, lists and table agree, and references sum to {@code
   * expectedReferences}.
   */
  void checkInvariants(long expectedReferences, int expectedPrivate) {
    int idle = 0;
    int last = NONE;
    for (int slot = oldestIdle; slot != NONE; slot = newer[slot]) {
      check(older[slot] == last && references[slot] == 0, "idle list broken at slot", slot);
      last = slot;
      idle++;
    }
    check(last == newestIdle && idle == idleCount, "idle blocks miscounted", idle);
    int pinned = 0;
    long sum = 0;
    for (int slot : table) {
      if (slot != NONE) {
        check(find(hashes[slot]) == slot, "block not found by its hash, slot", slot);
        pinned += references[slot] > 0 ? 1 : 0;
        sum += references[slot];
      }
    }
    check(pinned == pinnedCount, "pinned blocks miscounted", pinned);
    check(sum == expectedReferences, "references differ from requests' blocks", sum);
    check(privateCount == expectedPrivate, "private blocks differ from requests'", privateCount);
    int free = capacity - pinnedCount - idleCount - privateCount;
    check(free >= 0, "more blocks in use than there are, free", free);
  }

  private void check(boolean condition, String what, long value) {
    if (!condition) {
      throw new IllegalStateException(
          what
              + "="
              + value
              + ": capacity="
              + capacity
              + ", pinned="
              + pinnedCount
              + ", idle="
              + idleCount
              + ", private="
              + privateCount);
    }
  }

  private long evictOldest() {
    int slot = oldestIdle;
    unlink(slot);
    idleCount--;
    long hash = hashes[slot];
    removeFromTable(hash);
    newer[slot] = freeSlot;
    freeSlot = slot;
    return hash;
  }

  private int newSlot() {
    if (freeSlot != NONE) {
      int slot = freeSlot;
      freeSlot = newer[slot];
      return slot;
    }
    if (usedSlots == hashes.length) {
      grow();
    }
    return usedSlots++;
  }

  private void grow() {
    int slots = hashes.length * 2;
    hashes = Arrays.copyOf(hashes, slots);
    references = Arrays.copyOf(references, slots);
    older = Arrays.copyOf(older, slots);
    newer = Arrays.copyOf(newer, slots);
    int[] old = table;
    newTable(slots);
    for (int slot : old) {
      if (slot != NONE) {
        int position = position(hashes[slot]);
        while (table[position] != NONE) {
          position = (position + 1) & mask;
        }
        table[position] = slot;
      }
    }
  }

  private void newTable(int slots) {
    int size = Integer.highestOneBit(slots) * 4;
    table = new int[size];
    Arrays.fill(table, NONE);
    mask = size - 1;
  }

  private int position(long hash) {
    return (int) (hash ^ (hash >>> 32)) & mask;
  }

  /** Closes the gap by moving back whatever was displaced past it: no tombstones. */
  private void removeFromTable(long hash) {
    int gap = position(hash);
    while (hashes[table[gap]] != hash) {
      gap = (gap + 1) & mask;
    }
    int next = (gap + 1) & mask;
    while (table[next] != NONE) {
      int home = position(hashes[table[next]]);
      if (((next - home) & mask) >= ((next - gap) & mask)) {
        table[gap] = table[next];
        gap = next;
      }
      next = (next + 1) & mask;
    }
    table[gap] = NONE;
  }

  private void linkNewest(int slot) {
    older[slot] = newestIdle;
    newer[slot] = NONE;
    if (newestIdle == NONE) {
      oldestIdle = slot;
    } else {
      newer[newestIdle] = slot;
    }
    newestIdle = slot;
  }

  private void unlink(int slot) {
    if (older[slot] == NONE) {
      oldestIdle = newer[slot];
    } else {
      newer[older[slot]] = newer[slot];
    }
    if (newer[slot] == NONE) {
      newestIdle = older[slot];
    } else {
      older[newer[slot]] = older[slot];
    }
  }
}
