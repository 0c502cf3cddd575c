// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * From (parent node, first local hash) to child node, for all nodes of a tree: candidates by a
 * 32-bit mark, which the caller confirms against the node itself.
 *
 * <p>Open addressing, linear probing, deletion by shifting back. The mark is a mix of both keys
 * with the tree's seed, so that chosen hashes do not cluster; an entry's home is a function of its
 * mark, so that the table moves entries without looking at nodes.
 *
 * <p><b>Threads.</b> One writer. A reader takes {@link #entries} once a probe and holds what it
 * finds for a hint, whatever it is. It may miss an entry that is being moved, which happens only
 * while another one is removed. Its probes end, since they are bounded by the array.
 */
final class ChildTable {
  private static final int MIN_CAPACITY = 64;

  private static final VarHandle ENTRIES;

  static {
    try {
      ENTRIES = MethodHandles.lookup().findVarHandle(ChildTable.class, "entries", long[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long seed;
  // Mark in the upper half, node in the lower; 0 is empty, node 0 (the root) being nobody's child.
  private long[] entries = new long[MIN_CAPACITY];
  private int size;
  // What was fetched; means nothing, and is not private lest the fetching be optimized away.
  int fetched;

  ChildTable(long seed) {
    this.seed = seed;
  }

  int size() {
    return size;
  }

  /** Returns the entries as they are now: a reader must probe one and the same array. */
  long[] entries() {
    return (long[]) ENTRIES.getAcquire(this);
  }

  /** Returns the mark of a child, as unsigned upper half of an entry. */
  int mark(int parent, long firstHash) {
    long mixed = (firstHash ^ seed) + parent * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    mixed = (mixed ^ (mixed >>> 29)) * 0x9fb21c651e98df25L;
    return (int) (mixed >>> 32);
  }

  /** Fetches where a child is, or will be. */
  void fetch(int parent, long firstHash) {
    fetched += (int) entries[mark(parent, firstHash) & (entries.length - 1)];
  }

  static int markOf(long entry) {
    return (int) (entry >>> 32);
  }

  static int nodeOf(long entry) {
    return (int) entry;
  }

  /** Makes room for some more entries, so that adding them takes no longer than a probe. */
  void makeRoom(int more) {
    if ((size + more) * 3L > entries.length * 2L) {
      resize(entries.length * 2);
    }
  }

  /** Adds an entry for which there is room. */
  void add(int mark, int node) {
    int mask = entries.length - 1;
    int slot = mark & mask;
    while (entries[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    Racy.setRelease(entries, slot, entry(mark, node));
    size++;
  }

  /** Puts another node in the place of one with the same mark. */
  void replace(int mark, int node, int replacement) {
    Racy.setRelease(entries, find(mark, node), entry(mark, replacement));
  }

  /** Removes an entry and keeps its room, see {@link #giveRoomBack}. */
  void remove(int mark, int node) {
    int mask = entries.length - 1;
    int gap = find(mark, node);
    int slot = (gap + 1) & mask;
    while (entries[slot] != 0) {
      int home = markOf(entries[slot]) & mask;
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        Racy.setRelease(entries, gap, entries[slot]);
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    Racy.setRelease(entries, gap, 0);
    size--;
  }

  /** Lets the table shrink if few entries are left. */
  void giveRoomBack() {
    if (entries.length > MIN_CAPACITY && size * 10L < entries.length * 3L) {
      resize(entries.length / 2);
    }
  }

  private int find(int mark, int node) {
    int mask = entries.length - 1;
    long sought = entry(mark, node);
    int slot = mark & mask;
    while (entries[slot] != sought) {
      if (entries[slot] == 0) {
        throw new IllegalStateException("node is not in the table: node=" + node);
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static long entry(int mark, int node) {
    return ((long) mark << 32) | node;
  }

  private void resize(int capacity) {
    long[] old = entries;
    long[] grown = new long[capacity];
    for (long entry : old) {
      if (entry != 0) {
        int slot = markOf(entry) & (capacity - 1);
        while (grown[slot] != 0) {
          slot = (slot + 1) & (capacity - 1);
        }
        grown[slot] = entry;
      }
    }
    ENTRIES.setRelease(this, grown);
  }
}
