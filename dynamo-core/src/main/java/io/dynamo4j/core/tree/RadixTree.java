// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult.Outcome;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Path-compressed radix tree over local hashes, shared by all ranks, with a table from external
 * hash to block for each rank: exact for every rank, whatever hashes its engine chooses.
 *
 * <p><b>Threads.</b> One writer beside any number of readers: {@link #findMatches} and {@link
 * #version} may be called at any time, everything else by one thread at a time. A lookup takes no
 * lock and waits for nobody. Where no change came between it is exact; beside a change there is a
 * moment during the call such that no score is above that of this moment, and it is lower only by
 * what came or moved meanwhile.
 *
 * <p><b>Cost.</b> Apply is O(blocks), lookup O(edges on the path × ranks / 64 + ranks found), and
 * neither allocates once the tables have grown, but for an apply beyond 1,024 ranks that makes a
 * node one of many.
 *
 * <p><b>Memory.</b> A function of what is held and of the pieces in which it came, not of the
 * number of changes. A node takes 24 bytes and a bit for each rank slot up to 1,024 ranks, rounded
 * up to powers of two; beyond that 40 bytes, and a bit for each rank slot only if more than 8 ranks
 * hold all of it. A chain that comes a few blocks at a time is several nodes where one that comes
 * at once is one; runs of blocks never move, so the pieces stay until nobody holds them. An index
 * loaded from {@link #dump} has the fewest. There can be 2^29 places, some 7 GB of them, whatever
 * the bounds.
 */
public final class RadixTree implements SyncIndexer {
  /*
   * Problem    A router asks on every request, with about a hundred hashes, which of up to a
   *            thousand ranks hold how long a prefix; ranks report about as many blocks a second
   *            as are asked for.
   * Structure
   *
   *   query  q0 q1 q2 q3 q4
   *   children   (node, first hash) -> child           ChildTable
   *   nodes      edge, parent, holders                 NodeArena
   *   blocks     address -> local hash, node           BlockArena
   *   ranks      (worker, rank) -> hash -> address     RankTable
   *   slots      dense numbers of ranks, used again    RankSlots
   *   clock      changes, and losses of each slot      TreeClock
   *
   *            An edge has at most 64 blocks, so that what a rank holds of it is one long. Blocks
   *            never move: splitting or merging nodes changes the owner of addresses, never a
   *            rank's table. A place that nobody holds stays only while it leads to one that is.
   * Invariants see TreeInvariants.
   * Writes     TreeWriter, one thread. What is held is written after what it refers to; a loss is
   *            announced before it is made; nodes have versions, odd while they change.
   * Reads      PrefixWalk: each node is read between two looks at its version, and the answer is
   *            held against the losses since the start.
   * Rejected   Holders as prefix lengths: wrong once a block in the middle is evicted. A lock that
   *            readers pass optimistically: with the writer at full speed most of them wait.
   */

  /** Ranks that can be held at one time. */
  public static final int MAX_RANKS = 1 << 14;

  /** Places that there can be at one time, whoever holds them. */
  private static final long MAX_PLACES = 1 << 29;

  /** Blocks of an event that is fetched ahead: those of many such events fit the nearest cache. */
  private static final int MAX_FETCHED_AHEAD = 4;

  private final long seed;
  private final int maxRanks;
  private final long maxBlocks;
  private final long maxBlocksPerRank;
  private final PrefixWalk.Factory walks;
  private final TreeClock clock = new TreeClock();
  private final RankSlots slots = new RankSlots();
  private final NodeArena nodes;
  private final BlockArena blocks;
  private final ChildTable children;
  private final TreeWriter writer;
  private final NavigableMap<WorkerWithDpRank, RankTable> ranks = new TreeMap<>();
  private final LongIntMap.Spares spares = LongIntMap.Spares.create();
  private final ApplyResult result = ApplyResult.create();
  private long blockCount;
  private @Nullable RankTable fetchedRank;
  private @Nullable WorkerWithDpRank expectedRank;
  private int expectedBlocks;

  RadixTree(
      long seed,
      int maxRanks,
      long maxBlocks,
      long maxBlocksPerRank,
      HolderForm form,
      PrefixWalk.Factory walks) {
    this.nodes = new NodeArena(form);
    this.seed = seed;
    this.walks = walks;
    this.maxRanks = maxRanks;
    this.maxBlocks = maxBlocks;
    this.maxBlocksPerRank = Math.min(maxBlocksPerRank, MAX_PLACES);
    this.blocks = new BlockArena(BlockArena.pagesFor(maxBlocks));
    this.children = new ChildTable(seed);
    this.writer = new TreeWriter(nodes, blocks, children);
  }

  /** Returns a builder of an index with bounds. */
  public static RadixTreeBuilder builder() {
    return new RadixTreeBuilder();
  }

  /**
   * Returns an empty index without bounds.
   *
   * @param seed mixes the hashes in the index's tables, so that peers cannot craft clusters: draw
   *     it from the component's chance
   */
  public static RadixTree create(long seed) {
    return builder().seed(seed).build();
  }

  /* --------------- Writes --------------- */

  @Override
  public ApplyResult apply(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    clock.begin();
    try {
      if (data instanceof KvCacheEventData.Stored stored) {
        return store(event.worker(), stored);
      }
      if (data instanceof KvCacheEventData.Removed removed) {
        return remove(event.worker(), removed.blockHashes());
      }
      return result.removed(forget(event.worker()), 0);
    } finally {
      clock.end();
    }
  }

  /**
   * Fetches what applying a short event will look at, and changes nothing. To be called for several
   * events that are at hand before each of them is applied: their places are then fetched side by
   * side. A long event does this by itself.
   */
  public void fetch(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    RankTable rank = tableToFetch(event.worker());
    if (rank == null || data.blockCount() == 0 || data.blockCount() > MAX_FETCHED_AHEAD) {
      return;
    }
    if (data instanceof KvCacheEventData.Stored stored) {
      rank.fetch(stored.blockHashes(), 0, stored.blockCount());
      if (stored.hasParent()) {
        rank.fetch(stored.parentHash());
      } else {
        children.fetch(NodeArena.ROOT, stored.tokensHashes()[0]);
      }
    } else if (data instanceof KvCacheEventData.Removed removed) {
      rank.fetch(removed.blockHashes(), 0, removed.blockCount());
    }
  }

  private @Nullable RankTable tableToFetch(WorkerWithDpRank worker) {
    RankTable rank = fetchedRank;
    if (rank == null || !rank.worker.equals(worker)) {
      rank = ranks.get(worker);
      fetchedRank = rank;
    }
    return rank;
  }

  private ApplyResult store(WorkerWithDpRank worker, KvCacheEventData.Stored stored) {
    long[] hashes = stored.blockHashes();
    RankTable rank = ranks.get(worker);
    int parent = -1;
    if (stored.hasParent()) {
      if (contains(hashes, stored.parentHash())) {
        return result.rejected(Outcome.SELF_REFERENCE, hashes.length);
      }
      parent = rank == null ? -1 : rank.latestAddress(stored.parentHash());
      if (parent < 0) {
        return result.rejected(Outcome.PARENT_NOT_FOUND, hashes.length);
      }
    }
    if (hashes.length == 0) {
      return result.stored(0, 0);
    }
    if (!hasRoom(rank, parent, stored)) {
      return result.rejected(Outcome.OUT_OF_CAPACITY, hashes.length);
    }
    if (rank == null) {
      rank = enrol(worker);
    }
    int added = writer.append(rank, parent, hashes, stored.tokensHashes());
    blockCount += added;
    return result.stored(added, hashes.length - added);
  }

  private boolean hasRoom(@Nullable RankTable rank, int parent, KvCacheEventData.Stored stored) {
    if (rank == null && ranks.size() == maxRanks) {
      return false;
    }
    int held = rank == null ? 0 : rank.pairCount();
    long room = Math.min(maxBlocks - blockCount, maxBlocksPerRank - held);
    boolean hasPages = blocks.hasRoomFor(stored.blockCount());
    if (hasPages && stored.blockCount() <= room) {
      return true;
    }
    if (rank == null) {
      return false;
    }
    int added = writer.countNew(rank, parent, stored.blockHashes(), stored.tokensHashes());
    return added == 0 || (hasPages && added <= room);
  }

  private static boolean contains(long[] hashes, long hash) {
    for (long each : hashes) {
      if (each == hash) {
        return true;
      }
    }
    return false;
  }

  private ApplyResult remove(WorkerWithDpRank worker, long[] hashes) {
    RankTable rank = ranks.get(worker);
    if (rank == null) {
      return result.removed(0, hashes.length);
    }
    clock.announceLoss(rank.slot);
    int before = rank.pairCount();
    int unknown = writer.remove(rank, hashes);
    int removed = before - rank.pairCount();
    blockCount -= removed;
    if (rank.pairCount() == 0) {
      dismiss(rank);
    }
    return result.removed(removed, unknown);
  }

  @Override
  public void removeWorker(long workerId) {
    WorkerWithDpRank first = new WorkerWithDpRank(workerId, 0);
    WorkerWithDpRank last = new WorkerWithDpRank(workerId, -1); // the greatest unsigned rank
    clock.begin();
    try {
      List.copyOf(ranks.subMap(first, true, last, true).keySet()).forEach(this::forget);
    } finally {
      clock.end();
    }
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    clock.begin();
    try {
      forget(worker);
    } finally {
      clock.end();
    }
  }

  /**
   * Makes room for what a rank is about to hold in all: storing it then takes about a third less
   * time. Where it holds nothing yet this counts for its next store, unless another rank is named
   * before that.
   *
   * @param blocks how many (hash, place) pairs; no more than the bounds allow are believed
   */
  public void expect(WorkerWithDpRank worker, long blocks) {
    int believed = (int) Math.min(Math.min(blocks, maxBlocksPerRank), maxBlocks - blockCount);
    RankTable rank = ranks.get(worker);
    if (rank != null) {
      rank.makeRoom(believed);
    } else {
      expectedRank = worker;
      expectedBlocks = believed;
    }
  }

  private int forget(WorkerWithDpRank worker) {
    RankTable rank = ranks.get(worker);
    if (rank == null) {
      return 0;
    }
    clock.announceLoss(rank.slot);
    writer.releaseAll(rank);
    blockCount -= rank.pairCount();
    dismiss(rank);
    return rank.pairCount();
  }

  private RankTable enrol(WorkerWithDpRank worker) {
    int slot = slots.next();
    clock.makeRoomForSlots(slot + 1);
    nodes.makeRoomForSlots(slot + 1);
    slots.take(worker);
    RankTable rank = new RankTable(worker, slot, seed, spares);
    if (worker.equals(expectedRank)) {
      rank.makeRoom(expectedBlocks);
      expectedRank = null;
    }
    ranks.put(worker, rank);
    return rank;
  }

  private void dismiss(RankTable rank) {
    fetchedRank = fetchedRank == rank ? null : fetchedRank;
    ranks.remove(rank.worker);
    slots.free(rank.slot);
  }

  /* --------------- Reads --------------- */

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    findMatches(localHashes, count, LookupScope.all(), out);
  }

  @Override
  public void findMatches(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
    Objects.checkFromIndexSize(0, count, localHashes.length);
    walkOf(out).find(localHashes, count, scope, out);
  }

  /** {@inheritDoc} Looks at one rank alone: O(edges on the path + ranks). */
  @Override
  public int depthOf(
      WorkerWithDpRank worker, long[] localHashes, int count, OverlapScores scratch) {
    Objects.checkFromIndexSize(0, count, localHashes.length);
    return walkOf(scratch).findOne(localHashes, count, worker, scratch);
  }

  private PrefixWalk walkOf(OverlapScores out) {
    if (out.keptForIndex() instanceof PrefixWalk walk && walk.isOf(nodes)) {
      return walk;
    }
    PrefixWalk walk = walks.create(clock, slots, nodes, blocks, children);
    out.keepForIndex(walk);
    return walk;
  }

  /**
   * Returns the number of changes begun and made so far: odd while one is being made. Where it is
   * even and the same before and after some lookups, they are exact and of one moment.
   */
  public long version() {
    return clock.time();
  }

  @Override
  public long blockCount() {
    return blockCount;
  }

  /** Returns the number of nodes: edges of up to 64 blocks. */
  public long nodeCount() {
    return nodes.size();
  }

  /**
   * Returns the local hashes from the root to the block that a rank stored last under a hash, null
   * if it holds none; the writer's. O(depth).
   */
  public long @Nullable [] pathTo(WorkerWithDpRank worker, long blockHash) {
    RankTable rank = ranks.get(worker);
    int address = rank == null ? -1 : rank.latestAddress(blockHash);
    if (address < 0) {
      return null;
    }
    int node = blocks.owner(address);
    int depth = address - nodes.start(node) + 1;
    for (int above = nodes.parent(node); above != NodeArena.ROOT; above = nodes.parent(above)) {
      depth += nodes.length(above);
    }
    long[] path = new long[depth];
    int length = address - nodes.start(node) + 1;
    while (node != NodeArena.ROOT) {
      depth -= length;
      for (int i = 0; i < length; i++) {
        path[depth + i] = blocks.hash(nodes.start(node) + i);
      }
      node = nodes.parent(node);
      length = node == NodeArena.ROOT ? 0 : nodes.length(node);
    }
    return path;
  }

  @Override
  public void dump(Consumer<RouterEvent> sink) {
    TreeDump dump = new TreeDump(nodes, blocks, sink);
    ranks.values().forEach(dump::write);
  }

  /**
   * Writes all that is held, what no query reaches included: as {@link #dump}, and then, for blocks
   * behind a gap, a store of their whole path and a removal of what of it is not held. Applied to
   * an empty index in this order the events leave one that holds the same, so that it answers alike
   * now and once a gap is filled. Where a hash has several places, which of them is the latest is
   * not kept.
   */
  public void dumpWhole(Consumer<RouterEvent> sink) {
    TreeDump dump = new TreeDump(nodes, blocks, sink);
    ranks.values().forEach(dump::writeWhole);
  }

  /**
   * Calls {@code action} with each hash that a rank holds, in no order, once for each of its
   * places. O(blocks of the rank).
   */
  public void forEachHash(WorkerWithDpRank worker, LongConsumer action) {
    RankTable rank = ranks.get(worker);
    if (rank != null) {
      rank.forEachPair((hash, address) -> action.accept(hash));
    }
  }

  /**
   * Checks every invariant. O(index); for tests.
   *
   * @throws IllegalStateException naming the first rule broken
   */
  public void checkInvariants() {
    TreeInvariants.check(nodes, blocks, children, ranks.values(), slots.tenants(), blockCount);
  }
}
