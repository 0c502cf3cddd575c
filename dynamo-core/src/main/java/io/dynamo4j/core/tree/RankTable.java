// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.WorkerWithDpRank;
import org.jspecify.annotations.Nullable;

/**
 * What one rank holds: from external hash to the addresses of blocks. Belongs to the writer.
 *
 * <p>Nearly always one hash is one block and one block one hash; both exceptions have a table of
 * their own that exists only while it is needed.
 */
final class RankTable {
  final WorkerWithDpRank worker;
  final int slot;
  // What was fetched; means nothing, and is not private lest the fetching be optimized away.
  int fetched;

  private final long seed;
  // Address + 1 of the block that a hash was stored for last.
  private final LongIntMap latest;
  // Addresses of a hash besides the latest one: a set, since a peer may name all blocks alike.
  private @Nullable LongObjectMap<LongIntMap> earlier;
  // By address: hashes beyond the first by which this rank holds the block.
  private @Nullable LongIntMap furtherHashes;
  private int pairCount;

  RankTable(WorkerWithDpRank worker, int slot, long seed, LongIntMap.Spares spares) {
    this.worker = worker;
    this.slot = slot;
    this.seed = seed;
    this.latest = LongIntMap.create(seed, spares);
  }

  /** Returns the number of (hash, block) pairs. */
  int pairCount() {
    return pairCount;
  }

  /** Returns the address that a hash was stored for last, negative if it is not held. */
  int latestAddress(long hash) {
    return latest.get(hash) - 1;
  }

  /**
   * Fetches where some hashes are, or will be, before they are added one by one: a run of blocks
   * takes about a tenth less time.
   */
  void fetch(long[] hashes, int from, int count) {
    fetched += latest.touch(hashes, from, count);
  }

  /** Fetches where one hash is. */
  void fetch(long hash) {
    fetched += latest.touch(hash);
  }

  /** Returns whether a pair is there. */
  boolean has(long hash, int address) {
    if (latestAddress(hash) == address) {
      return true;
    }
    LongIntMap others = earlier == null ? null : earlier.get(hash);
    return others != null && others.get(address) != 0;
  }

  /**
   * Adds a pair and makes it the hash's latest.
   *
   * @param isHeld whether the rank holds the block by some hash already
   * @return false if the pair was there before
   */
  boolean add(long hash, int address, boolean isHeld) {
    int before = latest.put(hash, address + 1) - 1;
    if (before == address || (before >= 0 && !addEarlier(hash, before, address))) {
      return false;
    }
    if (isHeld) {
      if (furtherHashes == null) {
        furtherHashes = LongIntMap.create(seed);
      }
      furtherHashes.add(address, 1);
    }
    pairCount++;
    return true;
  }

  /** Remembers the address before; returns false if the new one was remembered and is no more. */
  private boolean addEarlier(long hash, int before, int address) {
    if (earlier == null) {
      earlier = LongObjectMap.create(seed);
    }
    LongIntMap others = earlier.get(hash);
    if (others == null) {
      others = LongIntMap.create(seed);
      earlier.put(hash, others);
    }
    boolean isNew = others.put(address, 0) == 0;
    others.put(before, 1);
    return isNew;
  }

  /** Drops a hash and returns its latest address, negative if it is not held. */
  int removeLatest(long hash) {
    int address = latest.put(hash, 0) - 1;
    pairCount -= address < 0 ? 0 : 1;
    return address;
  }

  /** Drops and returns the other addresses of a hash that was removed, null if it had none. */
  @Nullable LongIntMap removeEarlier(long hash) {
    LongIntMap addresses = earlier == null ? null : earlier.remove(hash);
    if (earlier == null || addresses == null) {
      return null;
    }
    if (earlier.size() == 0) {
      earlier = null;
    }
    pairCount -= addresses.size();
    return addresses;
  }

  /** Drops one hash of a block and returns whether the rank holds it by another. */
  boolean dropFurtherHash(int address) {
    if (furtherHashes == null || furtherHashes.get(address) == 0) {
      return false;
    }
    furtherHashes.add(address, -1);
    if (furtherHashes.size() == 0) {
      furtherHashes = null;
    }
    return true;
  }

  /** Returns by how many hashes beyond the first the rank holds a block. */
  int furtherHashes(int address) {
    return furtherHashes == null ? 0 : furtherHashes.get(address);
  }

  boolean hasSeveralAddresses(long hash) {
    return earlier != null && earlier.get(hash) != null;
  }

  /** Makes room for so many pairs. */
  void makeRoom(int pairs) {
    latest.makeRoom(pairs);
  }

  /** Makes room for so many pairs more: the table then grows once and not step by step. */
  void makeRoomFor(int more) {
    latest.makeRoom(latest.size() + more);
  }

  /**
   * Copies the hashes with the places that they were stored for last, addresses + 1.
   *
   * @return how many there are, see {@link LongIntMap#copyTo}
   */
  int copyLatest(long[] hashes, int[] addresses, int room) {
    return latest.copyTo(hashes, addresses, room);
  }

  /** Visits the other places of hashes that have several. */
  void forEachEarlier(PairConsumer action) {
    if (earlier != null) {
      earlier.forEach(
          (hash, addresses) ->
              addresses.forEach((address, one) -> action.accept(hash, (int) address)));
    }
  }

  /** Visits every pair; order means nothing. */
  void forEachPair(PairConsumer action) {
    latest.forEach((hash, value) -> action.accept(hash, value - 1));
    forEachEarlier(action);
  }

  /** Receives one pair. */
  @FunctionalInterface
  interface PairConsumer {
    void accept(long hash, int address);
  }
}
