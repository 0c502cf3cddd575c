// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Joins neighbouring changes of a batch into one event and numbers what comes out.
 *
 * <p>A store joins the one before if it continues its last block in the same tier, a removal if it
 * is of the same tier, either unless more than 128 blocks are waiting: as Dynamo 1.6.1 does.
 */
final class PendingEvents {
  private static final int MAX_WAITING = 128;
  private static final int RETAINED = 1 << 16;

  private enum Kind {
    NONE,
    STORE,
    REMOVAL
  }

  private final long workerId;
  private long lastEventId;
  private List<RouterEvent> events = new ArrayList<>();

  private Kind kind = Kind.NONE;
  private int dpRank;
  private StorageTier tier = StorageTier.DEVICE;
  private boolean hasParent;
  private long parentHash;
  private int count;
  private long[] blockHashes = new long[64];
  private long[] tokensHashes = new long[64];

  PendingEvents(long workerId) {
    this.workerId = workerId;
  }

  long lastEventId() {
    return lastEventId;
  }

  /** Returns what has come out since the last call, in order. */
  List<RouterEvent> take() {
    flush();
    if (blockHashes.length > RETAINED) {
      blockHashes = new long[64];
      tokensHashes = new long[64];
    }
    if (events.isEmpty()) {
      return List.of();
    }
    List<RouterEvent> taken = events;
    events = new ArrayList<>();
    return taken;
  }

  /** Begins a store of up to {@code blocks} blocks under a parent. */
  void startStore(int rank, StorageTier in, boolean under, long parent, long[] hashes, int blocks) {
    boolean continues =
        accepts(Kind.STORE, rank, in)
            && under
            && parent == blockHashes[count - 1]
            && !waits(hashes, blocks);
    if (!continues) {
      start(Kind.STORE, rank, in);
      hasParent = under;
      parentHash = parent;
    }
    reserve(blocks);
  }

  void addStored(long blockHash, long tokensHash) {
    blockHashes[count] = blockHash;
    tokensHashes[count++] = tokensHash;
  }

  /** Removes a block in a batch whose present event names {@code blocks} of them at most. */
  void addRemoved(int rank, StorageTier from, long blockHash, boolean isFirst, int blocks) {
    if (isFirst) {
      if (!accepts(Kind.REMOVAL, rank, from)) {
        start(Kind.REMOVAL, rank, from);
      }
      reserve(blocks);
    }
    blockHashes[count++] = blockHash;
  }

  void addCleared(int rank) {
    flush();
    emit(rank, StorageTier.DEVICE, KvCacheEventData.Cleared.instance());
  }

  private boolean accepts(Kind next, int rank, StorageTier in) {
    return kind == next && count > 0 && count <= MAX_WAITING && dpRank == rank && tier == in;
  }

  /** An event that names a block twice would be refused as a whole. */
  private boolean waits(long[] hashes, int blocks) {
    for (int i = 0; i < blocks; i++) {
      for (int waiting = 0; waiting < count; waiting++) {
        if (blockHashes[waiting] == hashes[i]) {
          return true;
        }
      }
    }
    return hasParent && contains(hashes, blocks, parentHash);
  }

  private static boolean contains(long[] hashes, int blocks, long hash) {
    for (int i = 0; i < blocks; i++) {
      if (hashes[i] == hash) {
        return true;
      }
    }
    return false;
  }

  private void start(Kind next, int rank, StorageTier in) {
    flush();
    kind = next;
    dpRank = rank;
    tier = in;
  }

  private void reserve(int blocks) {
    if (blockHashes.length - count < blocks) {
      int capacity = Math.max(blockHashes.length * 2, count + blocks);
      blockHashes = Arrays.copyOf(blockHashes, capacity);
      tokensHashes = Arrays.copyOf(tokensHashes, capacity);
    }
  }

  private void flush() {
    if (count > 0) {
      long[] hashes = Arrays.copyOf(blockHashes, count);
      emit(dpRank, tier, kind == Kind.STORE ? stored(hashes) : KvCacheEventData.Removed.of(hashes));
    }
    kind = Kind.NONE;
    count = 0;
  }

  private KvCacheEventData stored(long[] hashes) {
    long[] contents = Arrays.copyOf(tokensHashes, count);
    return hasParent
        ? KvCacheEventData.Stored.under(parentHash, hashes, contents)
        : KvCacheEventData.Stored.atRoot(hashes, contents);
  }

  private void emit(int rank, StorageTier in, KvCacheEventData data) {
    events.add(RouterEvent.of(workerId, in, KvCacheEvent.of(++lastEventId, rank, data)));
  }
}
