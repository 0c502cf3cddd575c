// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/**
 * Places with the number of hashes by which each is held: open addressing, load from 3/10 to 2/3,
 * deletion by shifting back.
 *
 * <p><b>Threads.</b> One writer. {@link #contains} may run beside it and then returns anything, but
 * returns: whoever reads confirms by a stamp.
 */
final class PlaceTable {
  private static final int MIN_CAPACITY = 8;

  // Most tiers of most ranks have nothing.
  private static final long[] NOTHING = {};

  private final long seed;
  // Place and count by turns, count 0 where nothing is.
  private long[] entries = NOTHING;
  private int size;

  PlaceTable(long seed) {
    this.seed = seed;
  }

  boolean contains(long place) {
    long[] table = entries;
    int mask = table.length / 2 - 1;
    int slot = home(place, mask);
    for (int probes = 0; probes <= mask && table[2 * slot + 1] != 0; probes++) {
      if (table[2 * slot] == place) {
        return true;
      }
      slot = (slot + 1) & mask;
    }
    return false;
  }

  void add(long place) {
    if (entries.length == 0) {
      entries = new long[2 * MIN_CAPACITY];
    }
    int slot = slotOf(place);
    entries[2 * slot] = place;
    if (entries[2 * slot + 1]++ == 0) {
      size++;
      if (size * 3L > entries.length) {
        resize(entries.length * 2);
      }
    }
  }

  void remove(long place) {
    int slot = slotOf(place);
    if (--entries[2 * slot + 1] > 0) {
      return;
    }
    closeGap(slot);
    size--;
    if (size == 0) {
      entries = NOTHING;
    } else if (entries.length > 2 * MIN_CAPACITY && size * 20L < entries.length * 3L) {
      resize(entries.length / 2);
    }
  }

  private int slotOf(long place) {
    int mask = entries.length / 2 - 1;
    int slot = home(place, mask);
    while (entries[2 * slot + 1] != 0 && entries[2 * slot] != place) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int home(long place, int mask) {
    long mixed = (place ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    return (int) (mixed >>> 32) & mask;
  }

  /** Moves later members of the run into the freed slot while that keeps them reachable. */
  private void closeGap(int freed) {
    int mask = entries.length / 2 - 1;
    int gap = freed;
    int slot = (gap + 1) & mask;
    while (entries[2 * slot + 1] != 0) {
      int home = home(entries[2 * slot], mask);
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        entries[2 * gap] = entries[2 * slot];
        entries[2 * gap + 1] = entries[2 * slot + 1];
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    entries[2 * gap + 1] = 0;
  }

  private void resize(int length) {
    long[] old = entries;
    entries = new long[length];
    for (int i = 0; i < old.length; i += 2) {
      if (old[i + 1] != 0) {
        int slot = slotOf(old[i]);
        entries[2 * slot] = old[i];
        entries[2 * slot + 1] = old[i + 1];
      }
    }
  }
}
