// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.collect.LongIntMap;
import java.util.Arrays;

/**
 * The blocks that one rank holds below its device, by external hash: parallel arrays, freed entries
 * reused. The lane's alone.
 */
final class TierBlocks {
  static final int NONE = -1;

  private static final int INITIAL_ROOM = 8;

  private final LongIntMap entryOf;
  private long[] hashes = new long[INITIAL_ROOM];
  private long[] parents = new long[INITIAL_ROOM];
  private long[] locals = new long[INITIAL_ROOM];
  private long[] places = new long[INITIAL_ROOM];
  private byte[] flags = new byte[INITIAL_ROOM];
  private int fresh;
  private int free = NONE;

  private static final int HAS_PARENT = 1 << 6;
  private static final int IS_PLACED = 1 << 5;
  private static final int TIERS = IS_PLACED - 1;

  TierBlocks(long seed) {
    this.entryOf = LongIntMap.create(seed);
  }

  int size() {
    return entryOf.size();
  }

  /** Returns one more than the largest entry that was ever in use. */
  int limit() {
    return fresh;
  }

  boolean isUsed(int entry) {
    return tiers(entry) != 0;
  }

  /** Returns the entry of a hash, {@link #NONE} if it is not held. */
  int find(long hash) {
    return entryOf.get(hash) - 1;
  }

  /** Returns a new entry that is in no tier and has no place. */
  int create(long hash, boolean hasParent, long parentHash, long local) {
    int entry = free;
    if (entry != NONE) {
      free = (int) places[entry];
    } else {
      entry = fresh++;
      if (entry == hashes.length) {
        resize(entry + entry / 2);
      }
    }
    hashes[entry] = hash;
    parents[entry] = parentHash;
    locals[entry] = local;
    flags[entry] = (byte) (hasParent ? HAS_PARENT : 0);
    entryOf.put(hash, entry + 1);
    return entry;
  }

  private void resize(int room) {
    hashes = Arrays.copyOf(hashes, room);
    parents = Arrays.copyOf(parents, room);
    locals = Arrays.copyOf(locals, room);
    places = Arrays.copyOf(places, room);
    flags = Arrays.copyOf(flags, room);
  }

  void drop(int entry) {
    entryOf.put(hashes[entry], 0);
    flags[entry] = 0;
    places[entry] = free;
    free = entry;
  }

  /**
   * Gives room back if less than two thirds is in use: entries then have other numbers, in the same
   * order. Nobody may know an entry by its number.
   */
  void trim() {
    if (size() * 3L >= hashes.length * 2L || hashes.length == INITIAL_ROOM) {
      return;
    }
    int kept = 0;
    for (int entry = 0; entry < fresh; entry++) {
      if (isUsed(entry)) {
        hashes[kept] = hashes[entry];
        parents[kept] = parents[entry];
        locals[kept] = locals[entry];
        places[kept] = places[entry];
        flags[kept] = flags[entry];
        entryOf.put(hashes[kept], kept + 1);
        kept++;
      }
    }
    fresh = kept;
    free = NONE;
    resize(Math.max(INITIAL_ROOM, kept + kept / 8));
    Arrays.fill(flags, kept, flags.length, (byte) 0);
  }

  long hash(int entry) {
    return hashes[entry];
  }

  boolean hasParent(int entry) {
    return (flags[entry] & HAS_PARENT) != 0;
  }

  long parent(int entry) {
    return parents[entry];
  }

  long local(int entry) {
    return locals[entry];
  }

  /** Returns whether the block's place is known: its path from the root. */
  boolean isPlaced(int entry) {
    return (flags[entry] & IS_PLACED) != 0;
  }

  /** Returns the sequence hash of the block's path; meaningless unless {@link #isPlaced}. */
  long place(int entry) {
    return places[entry];
  }

  /**
   * Returns the block after one that waits for the same parent; {@link #NONE} if it is the last.
   * While a block waits, who waits beside it stands where its place will.
   */
  int nextWaiting(int entry) {
    return (int) places[entry];
  }

  /** Returns the block before one that waits for the same parent; {@link #NONE} for the first. */
  int previousWaiting(int entry) {
    return (int) (places[entry] >> Integer.SIZE);
  }

  void setWaiting(int entry, int previous, int next) {
    places[entry] = ((long) previous << Integer.SIZE) | (next & 0xFFFF_FFFFL);
  }

  void setPlace(int entry, long place) {
    places[entry] = place;
    flags[entry] |= (byte) IS_PLACED;
  }

  /** Returns the tiers that hold the block, bit 0 for the first below the device. */
  int tiers(int entry) {
    return flags[entry] & TIERS;
  }

  void setTiers(int entry, int tiers) {
    flags[entry] = (byte) ((flags[entry] & ~TIERS) | tiers);
  }
}
