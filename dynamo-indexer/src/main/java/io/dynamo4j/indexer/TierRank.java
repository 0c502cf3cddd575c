// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.RadixTree;
import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;

/**
 * What one rank holds below its device.
 *
 * <p>A block counts by its place, the path of contents from the root, which is known once its
 * parent's is: from these tiers, or from the device. A block whose parent is nowhere known waits
 * for it.
 *
 * <p><b>Threads.</b> Written on the lane. {@link #walk} runs anywhere; it looks without a lock and
 * takes one only after changes came between three times.
 */
final class TierRank {
  private static final int TIERS = TierOrder.COUNT;
  private static final int ATTEMPTS = 3;

  final WorkerWithDpRank worker;
  private final RadixTree device;
  private final TierBlocks blocks;
  private final StampedLock lock = new StampedLock();
  private final PlaceTable[] places = new PlaceTable[TIERS];

  /**
   * One more than the entry of the first block without a place, by the hash of the parent that it
   * waits for; the others that wait for the same stand in a list behind it.
   */
  private final LongIntMap waiting;

  TierRank(WorkerWithDpRank worker, RadixTree device, long seed) {
    this.worker = worker;
    this.device = device;
    this.blocks = new TierBlocks(seed);
    this.waiting = LongIntMap.create(seed);
    for (int tier = 0; tier < TIERS; tier++) {
      places[tier] = new PlaceTable(seed);
    }
  }

  /** Returns the (hash, tier) pairs held. */
  long pairCount() {
    return pairs;
  }

  private long pairs;

  TierBlocks blocks() {
    return blocks;
  }

  boolean isEmpty() {
    return blocks.size() == 0;
  }

  /* --------------- Writes --------------- */

  ApplyResult store(int tier, KvCacheEventData.Stored stored, ApplyResult result) {
    long stamp = lock.writeLock();
    try {
      int added = 0;
      boolean hasParent = stored.hasParent();
      long parent = stored.parentHash();
      for (int i = 0; i < stored.blockCount(); i++) {
        long hash = stored.blockHashes()[i];
        added += hold(tier, hash, hasParent, parent, stored.tokensHashes()[i]) ? 1 : 0;
        hasParent = true;
        parent = hash;
      }
      pairs += added;
      return result.stored(added, stored.blockCount() - added);
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /** Returns whether the tier holds the block only now. */
  private boolean hold(int tier, long hash, boolean hasParent, long parent, long local) {
    int entry = blocks.find(hash);
    if (entry != TierBlocks.NONE && !isAt(entry, hasParent, parent, local)) {
      release(entry); // the hash has another content now
      entry = TierBlocks.NONE;
    }
    if (entry == TierBlocks.NONE) {
      entry = blocks.create(hash, hasParent, parent, local);
      blocks.setTiers(entry, 1 << tier);
      settle(entry);
      return true;
    }
    int tiers = blocks.tiers(entry);
    if ((tiers & 1 << tier) != 0) {
      return false;
    }
    blocks.setTiers(entry, tiers | 1 << tier);
    if (blocks.isPlaced(entry)) {
      places[tier].add(blocks.place(entry));
    }
    return true;
  }

  private boolean isAt(int entry, boolean hasParent, long parent, long local) {
    return blocks.local(entry) == local
        && blocks.hasParent(entry) == hasParent
        && (!hasParent || blocks.parent(entry) == parent);
  }

  /** Gives a new block its place if its parent has one, else lets it wait. */
  private void settle(int entry) {
    if (!blocks.hasParent(entry)) {
      place(entry, blocks.local(entry));
      return;
    }
    long parent = blocks.parent(entry);
    int above = blocks.find(parent);
    if (above != TierBlocks.NONE && above != entry && blocks.isPlaced(above)) {
      place(entry, SequenceHasher.next(blocks.place(above), blocks.local(entry)));
      return;
    }
    long[] path = device.pathTo(worker, parent);
    if (path != null) {
      place(entry, SequenceHasher.next(placeOf(path), blocks.local(entry)));
    } else {
      letWait(parent, entry);
    }
  }

  private void letWait(long parent, int entry) {
    int first = waiting.get(parent) - 1;
    blocks.setWaiting(entry, TierBlocks.NONE, first);
    if (first != TierBlocks.NONE) {
      blocks.setWaiting(first, entry, blocks.nextWaiting(first));
    }
    waiting.put(parent, entry + 1);
  }

  /** Returns the first of those that wait for a parent, who wait no longer. */
  private int takeWaiting(long parent) {
    int first = waiting.get(parent) - 1;
    if (first != TierBlocks.NONE) {
      waiting.put(parent, 0);
    }
    return first;
  }

  private static long placeOf(long[] path) {
    SequenceHasher.hash(path, path.length, path);
    return path[path.length - 1];
  }

  /** Places a block and all that waited for it. */
  private void place(int first, long firstPlace) {
    setPlace(first, firstPlace);
    int[] open = {first};
    int count = 1;
    while (count > 0) {
      int above = open[--count];
      int entry = takeWaiting(blocks.hash(above));
      while (entry != TierBlocks.NONE) {
        int next = blocks.nextWaiting(entry);
        setPlace(entry, SequenceHasher.next(blocks.place(above), blocks.local(entry)));
        if (count == open.length) {
          open = Arrays.copyOf(open, count * 2);
        }
        open[count++] = entry;
        entry = next;
      }
    }
  }

  private void setPlace(int entry, long place) {
    blocks.setPlace(entry, place);
    for (int tier = 0; tier < TIERS; tier++) {
      if ((blocks.tiers(entry) & 1 << tier) != 0) {
        places[tier].add(place);
      }
    }
  }

  /** Places what waited for blocks that the device holds since just now. */
  void deviceStored(long[] hashes) {
    if (waiting.size() == 0) {
      return;
    }
    long stamp = lock.writeLock();
    try {
      for (long hash : hashes) {
        long[] path = waiting.get(hash) == 0 ? null : device.pathTo(worker, hash);
        if (path == null) {
          continue;
        }
        long above = placeOf(path);
        int entry = takeWaiting(hash);
        while (entry != TierBlocks.NONE) {
          int next = blocks.nextWaiting(entry);
          place(entry, SequenceHasher.next(above, blocks.local(entry)));
          entry = next;
        }
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  ApplyResult remove(int tier, long[] hashes, ApplyResult result) {
    long stamp = lock.writeLock();
    try {
      int removed = 0;
      for (long hash : hashes) {
        int entry = blocks.find(hash);
        if (entry != TierBlocks.NONE && (blocks.tiers(entry) & 1 << tier) != 0) {
          take(entry, 1 << tier);
          removed++;
        }
      }
      return result.removed(removed, hashes.length - removed);
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private void release(int entry) {
    take(entry, blocks.tiers(entry));
  }

  /** Takes a block out of some of its tiers; in none any more it is gone. */
  private void take(int entry, int tiers) {
    for (int tier = 0; tier < TIERS; tier++) {
      if ((tiers & 1 << tier) != 0) {
        pairs--;
        if (blocks.isPlaced(entry)) {
          places[tier].remove(blocks.place(entry));
        }
      }
    }
    int left = blocks.tiers(entry) & ~tiers;
    blocks.setTiers(entry, left);
    if (left == 0) {
      if (!blocks.isPlaced(entry)) {
        stopWaiting(entry);
      }
      blocks.drop(entry);
      if (waiting.size() == 0) {
        blocks.trim(); // who waits is known by its entry
      }
    }
  }

  private void stopWaiting(int entry) {
    int before = blocks.previousWaiting(entry);
    int after = blocks.nextWaiting(entry);
    if (before == TierBlocks.NONE) {
      waiting.put(blocks.parent(entry), after + 1);
    } else {
      blocks.setWaiting(before, blocks.previousWaiting(before), after);
    }
    if (after != TierBlocks.NONE) {
      blocks.setWaiting(after, before, blocks.nextWaiting(after));
    }
  }

  /* --------------- Reads --------------- */

  /**
   * Counts the blocks of each tier that continue a prefix, one tier after the other.
   *
   * @param sequenceHashes places of the query
   * @param depth blocks of it that the device holds
   * @param blocksOfTier overwritten
   */
  void walk(long[] sequenceHashes, int count, int depth, int[] blocksOfTier) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long stamp = lock.tryOptimisticRead();
      if (stamp != 0) {
        look(sequenceHashes, count, depth, blocksOfTier);
        if (lock.validate(stamp)) {
          return;
        }
      }
    }
    long stamp = lock.readLock();
    try {
      look(sequenceHashes, count, depth, blocksOfTier);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private void look(long[] sequenceHashes, int count, int depth, int[] blocksOfTier) {
    int at = depth;
    for (int tier = 0; tier < TIERS; tier++) {
      int from = at;
      while (at < count && places[tier].contains(sequenceHashes[at])) {
        at++;
      }
      blocksOfTier[tier] = at - from;
    }
  }
}
