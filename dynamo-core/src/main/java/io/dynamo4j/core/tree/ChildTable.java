// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

/**
 * From (parent node, first local hash) to child node, for all nodes of a tree: candidates by a
 * 32-bit mark, which the caller confirms against the node itself.
 *
 * <p>Open addressing, linear probing, deletion by shifting back. The mark is a mix of both keys
 * with the tree's seed, so that chosen hashes do not cluster; an entry's home is a function of its
 * mark, so that the table moves entries without looking at nodes.
 *
 * <p><b>Threads.</b> One writer. A reader beside it may miss or misread entries; it validates
 * afterwards. Its probes end, since some slot of every array is empty.
 */
final class ChildTable {
  private static final int MIN_CAPACITY = 64;

  private final long seed;
  // Mark in the upper half, node in the lower; 0 is empty, node 0 (the root) being nobody's child.
  private long[] entries = new long[MIN_CAPACITY];
  private int size;

  ChildTable(long seed) {
    this.seed = seed;
  }

  int size() {
    return size;
  }

  /** Returns the entries as they are now: a reader must probe one and the same array. */
  long[] entries() {
    return entries;
  }

  /** Returns the mark of a child, as unsigned upper half of an entry. */
  int mark(int parent, long firstHash) {
    long mixed = (firstHash ^ seed) + parent * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    mixed = (mixed ^ (mixed >>> 29)) * 0x9fb21c651e98df25L;
    return (int) (mixed >>> 32);
  }

  static int markOf(long entry) {
    return (int) (entry >>> 32);
  }

  static int nodeOf(long entry) {
    return (int) entry;
  }

  void add(int mark, int node) {
    int mask = entries.length - 1;
    int slot = mark & mask;
    while (entries[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    entries[slot] = entry(mark, node);
    if (++size * 2 > entries.length) {
      resize(entries.length * 2);
    }
  }

  /** Puts another node in the place of one with the same mark. */
  void replace(int mark, int node, int replacement) {
    entries[find(mark, node)] = entry(mark, replacement);
  }

  void remove(int mark, int node) {
    int mask = entries.length - 1;
    int gap = find(mark, node);
    int slot = (gap + 1) & mask;
    while (entries[slot] != 0) {
      int home = markOf(entries[slot]) & mask;
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        entries[gap] = entries[slot];
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    entries[gap] = 0;
    size--;
    if (entries.length > MIN_CAPACITY && size * 8 < entries.length) {
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
    entries = grown;
  }
}
