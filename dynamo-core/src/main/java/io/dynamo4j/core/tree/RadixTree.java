// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult.Outcome;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Path-compressed radix tree over local hashes, shared by all ranks, with a table from external
 * hash to block for each rank: exact for every rank, whatever hashes its engine chooses.
 *
 * <p><b>Threads.</b> One writer beside any number of readers. A reader looks without a lock and
 * confirms that no event was applied meanwhile; after three events in a row have come between it
 * waits for the one that is being applied. Every answer is that of one moment.
 *
 * <p><b>Cost.</b> Apply is O(blocks), lookup O(edges on the path × ranks / 64 + ranks found), and
 * neither allocates once the tables have grown.
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
   *   workerOfSlot, usedSlots                          dense numbers of ranks, used again; the
   *                                                    table of workers is replaced, not written
   *
   *            An edge has at most 64 blocks, so that what a rank holds of it is one long. Blocks
   *            never move: splitting or merging nodes changes the owner of addresses, never a
   *            rank's table. A place that nobody holds stays only while it leads to one that is.
   * Invariants see TreeInvariants.
   * Writes     every event under the write lock.
   * Reads      optimistic: all loops are bounded by the query and by table sizes, so that torn state
   *            can give a wrong answer or an exception, both thrown away when the stamp is stale.
   * Rejected   Holders as prefix lengths: wrong once a block in the middle is evicted.
   */

  /** Ranks that can be held at one time. */
  public static final int MAX_RANKS = 1 << 14;

  private static final int OPTIMISTIC_TRIES = 3;

  private final long seed;
  private final StampedLock lock = new StampedLock();
  private final NodeArena nodes = new NodeArena();
  private final BlockArena blocks = new BlockArena();
  private final ChildTable children;
  private final NavigableMap<WorkerWithDpRank, RankTable> ranks = new TreeMap<>();
  private final BitSet usedSlots = new BitSet();
  private @Nullable WorkerWithDpRank[] workerOfSlot = new WorkerWithDpRank[64];
  private final ApplyResult result = ApplyResult.create();
  private long blockCount;

  private RadixTree(long seed) {
    this.seed = seed;
    this.children = new ChildTable(seed);
  }

  /**
   * Returns an empty index.
   *
   * @param seed mixes the hashes in the index's tables, so that peers cannot craft clusters: draw
   *     it from the component's chance
   */
  public static RadixTree create(long seed) {
    return new RadixTree(seed);
  }

  /* --------------- Writes --------------- */

  @Override
  public ApplyResult apply(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    long stamp = lock.writeLock();
    try {
      if (data instanceof KvCacheEventData.Stored stored) {
        return store(event.worker(), stored);
      }
      if (data instanceof KvCacheEventData.Removed removed) {
        return remove(event.worker(), removed.blockHashes());
      }
      return result.removed(forget(event.worker()), 0);
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private ApplyResult store(WorkerWithDpRank worker, KvCacheEventData.Stored stored) {
    long[] hashes = stored.blockHashes();
    RankTable rank = ranks.get(worker);
    int node = NodeArena.ROOT;
    int position = -1;
    if (stored.hasParent()) {
      if (contains(hashes, stored.parentHash())) {
        return result.rejected(Outcome.SELF_REFERENCE, hashes.length);
      }
      int address = rank == null ? -1 : rank.latestAddress(stored.parentHash());
      if (address < 0) {
        return result.rejected(Outcome.PARENT_NOT_FOUND, hashes.length);
      }
      node = blocks.owner(address);
      position = address - nodes.start(node);
    }
    if (hashes.length == 0) {
      return result.stored(0, 0);
    }
    if (rank == null) {
      if (usedSlots.cardinality() == MAX_RANKS) {
        return result.rejected(Outcome.OUT_OF_CAPACITY, hashes.length);
      }
      rank = enrol(worker);
    }
    int added = append(rank, node, position, hashes, stored.tokensHashes());
    return result.stored(added, hashes.length - added);
  }

  private static boolean contains(long[] hashes, long hash) {
    for (long each : hashes) {
      if (each == hash) {
        return true;
      }
    }
    return false;
  }

  /** Walks and makes the path below a block and returns how many pairs are new. */
  private int append(RankTable rank, int from, int fromPosition, long[] hashes, long[] locals) {
    int node = from;
    int position = fromPosition; // of the last block passed, in its edge
    int added = 0;
    int done = 0;
    while (done < hashes.length) {
      if (position + 1 == nodes.length(node)) {
        int child = child(node, locals[done]);
        if (child == 0 && extend(rank, node, locals, done)) {
          continue;
        }
        node = child != 0 ? child : newChild(rank, node, locals, done);
        position = -1;
      }
      int room = Math.min(nodes.length(node) - position - 1, hashes.length - done);
      int run = blocks.match(nodes.start(node) + position + 1, locals, done, room);
      if (run > 0) {
        added += hold(rank, node, position + 1, hashes, done, run);
        position += run;
        done += run;
      } else {
        node = split(node, position + 1);
      }
    }
    blockCount += added;
    return added;
  }

  /** Adds pairs for a run of blocks of one edge. */
  private int hold(RankTable rank, int node, int position, long[] hashes, int from, int count) {
    long before = nodes.mask(node, rank.slot);
    int address = nodes.start(node) + position;
    int added = 0;
    for (int i = 0; i < count; i++) {
      boolean isHeld = (before & 1L << (position + i)) != 0;
      added += rank.add(hashes[from + i], address + i, isHeld) ? 1 : 0;
    }
    nodes.setMask(node, rank.slot, before | NodeArena.allBlocks(count) << position);
    return added;
  }

  /** Lengthens a leaf in place if this rank has it for itself and there is room. */
  private boolean extend(RankTable rank, int node, long[] locals, int from) {
    int length = nodes.length(node);
    int more = Math.min(nodes.capacity(node) - length, locals.length - from);
    if (more == 0 || nodes.childCount(node) > 0 || !nodes.isHeldOnlyBy(node, rank.slot)) {
      return false;
    }
    blocks.write(nodes.start(node) + length, locals, from, more);
    blocks.own(nodes.start(node) + length, more, node);
    nodes.extend(node, rank.slot, length + more);
    return true;
  }

  private int newChild(RankTable rank, int parent, long[] locals, int from) {
    int expected = locals.length - from;
    if (nodes.childCount(parent) == 0 && nodes.isHeldOnlyBy(parent, rank.slot)) {
      // The rank's own chain grows: twice the room each time.
      expected = Math.max(expected, 2 * nodes.length(parent));
    }
    int capacity = BlockArena.capacityFor(Math.min(expected, BlockArena.MAX_RUN));
    int length = Math.min(capacity, locals.length - from);
    int start = blocks.allocate(capacity);
    int node = nodes.create(parent, start, length, capacity, true);
    blocks.write(start, locals, from, length);
    blocks.own(start, length, node);
    nodes.addChild(parent, node);
    children.add(children.mark(parent, locals[from]), node);
    return node;
  }

  /**
   * Cuts an edge behind {@code length} blocks and returns the node of the first part. The second
   * part keeps the node's id and with it its children.
   */
  private int split(int node, int length) {
    int parent = nodes.parent(node);
    int start = nodes.start(node);
    int prefix = nodes.create(parent, start, length, length, nodes.owns(node));
    nodes.setEdge(
        node,
        start + length,
        nodes.length(node) - length,
        nodes.capacity(node) - length,
        /* owns= */ false);
    nodes.divideHolders(prefix, length, node);
    blocks.own(start, length, prefix);
    nodes.replaceChild(parent, node, prefix);
    children.replace(children.mark(parent, blocks.hash(start)), node, prefix);
    nodes.setParent(node, prefix);
    nodes.addChild(prefix, node);
    children.add(children.mark(prefix, blocks.hash(start + length)), node);
    return prefix;
  }

  private ApplyResult remove(WorkerWithDpRank worker, long[] hashes) {
    RankTable rank = ranks.get(worker);
    if (rank == null) {
      return result.removed(0, hashes.length);
    }
    int removed = 0;
    int unknown = 0;
    for (long hash : hashes) {
      int address = rank.removeLatest(hash);
      if (address < 0) {
        unknown++;
        continue;
      }
      int[] others = rank.removeEarlier(hash);
      release(rank, address);
      for (int other : others) {
        release(rank, other);
      }
      removed += 1 + others.length;
    }
    blockCount -= removed;
    if (rank.pairCount() == 0) {
      dismiss(rank);
    }
    return result.removed(removed, unknown);
  }

  private void release(RankTable rank, int address) {
    if (rank.dropFurtherHash(address)) {
      return;
    }
    int node = blocks.owner(address);
    long bit = 1L << (address - nodes.start(node));
    nodes.setMask(node, rank.slot, nodes.mask(node, rank.slot) & ~bit);
    tidy(node);
  }

  /** Cuts blocks off a leaf's end that nobody holds; if none is left, goes on with the parent. */
  private void tidy(int from) {
    int node = from;
    while (node != NodeArena.ROOT && nodes.childCount(node) == 0) {
      int length = nodes.length(node);
      int held = Long.SIZE - Long.numberOfLeadingZeros(nodes.heldByAnybody(node));
      if (held == length) {
        return;
      }
      blocks.own(nodes.start(node) + held, length - held, BlockArena.NOBODY);
      if (held > 0) {
        nodes.trim(node, held);
        return;
      }
      int parent = nodes.parent(node);
      free(node, parent);
      node = parent;
    }
    merge(node);
  }

  private void free(int node, int parent) {
    int start = nodes.start(node);
    children.remove(children.mark(parent, blocks.hash(start)), node);
    nodes.removeChild(parent, node);
    int capacity = nodes.capacity(node);
    if (nodes.owns(node)) {
      blocks.free(start, capacity);
    } else {
      // The blocks before are the parent's: it was cut off from them.
      nodes.setEdge(
          parent,
          nodes.start(parent),
          nodes.length(parent),
          nodes.capacity(parent) + capacity,
          nodes.owns(parent));
    }
    nodes.release(node);
  }

  /** Undoes a split whose reason is gone: an only child that continues the edge, held alike. */
  private void merge(int node) {
    if (node == NodeArena.ROOT || nodes.childCount(node) != 1) {
      return;
    }
    int child = nodes.onlyChild(node);
    if (nodes.owns(child) || !nodes.haveSameFullHolders(node, child)) {
      return;
    }
    int parent = nodes.parent(node);
    int start = nodes.start(node);
    int length = nodes.length(node);
    children.remove(children.mark(node, blocks.hash(start + length)), child);
    children.replace(children.mark(parent, blocks.hash(start)), node, child);
    nodes.replaceChild(parent, node, child);
    nodes.setParent(child, parent);
    nodes.setEdge(
        child,
        start,
        length + nodes.length(child),
        length + nodes.capacity(child),
        nodes.owns(node));
    blocks.own(start, length, child);
    nodes.release(node);
  }

  @Override
  public void removeWorker(long workerId) {
    WorkerWithDpRank first = new WorkerWithDpRank(workerId, 0);
    WorkerWithDpRank last = new WorkerWithDpRank(workerId, -1); // the greatest unsigned rank
    long stamp = lock.writeLock();
    try {
      List.copyOf(ranks.subMap(first, true, last, true).keySet()).forEach(this::forget);
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    long stamp = lock.writeLock();
    try {
      forget(worker);
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private int forget(WorkerWithDpRank worker) {
    RankTable rank = ranks.get(worker);
    if (rank == null) {
      return 0;
    }
    rank.forEachPair(
        (hash, address) -> {
          int node = blocks.owner(address);
          if (node > 0 && nodes.mask(node, rank.slot) != 0) {
            nodes.setMask(node, rank.slot, 0);
            tidy(node);
          }
        });
    blockCount -= rank.pairCount();
    dismiss(rank);
    return rank.pairCount();
  }

  private RankTable enrol(WorkerWithDpRank worker) {
    int slot = usedSlots.nextClearBit(0);
    usedSlots.set(slot);
    nodes.makeRoomForSlots(slot + 1);
    setWorker(slot, worker);
    RankTable rank = new RankTable(worker, slot, seed);
    ranks.put(worker, rank);
    return rank;
  }

  private void dismiss(RankTable rank) {
    ranks.remove(rank.worker);
    usedSlots.clear(rank.slot);
    setWorker(rank.slot, null);
  }

  /** Replaces the table of workers: results of earlier lookups go on using the one before. */
  private void setWorker(int slot, @Nullable WorkerWithDpRank worker) {
    int length = workerOfSlot.length;
    @Nullable WorkerWithDpRank[] replaced =
        Arrays.copyOf(workerOfSlot, slot < length ? length : length * 2);
    replaced[slot] = worker;
    workerOfSlot = replaced;
  }

  /* --------------- Reads --------------- */

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    Objects.checkFromIndexSize(0, count, localHashes.length);
    for (int i = 0; i < OPTIMISTIC_TRIES; i++) {
      long stamp = lock.tryOptimisticRead();
      if (stamp != 0 && tryFind(localHashes, count, out) && lock.validate(stamp)) {
        return;
      }
    }
    long stamp = lock.readLock();
    try {
      find(localHashes, count, out);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Looks without a lock; what torn state does to it says nothing but to try again. */
  private boolean tryFind(long[] localHashes, int count, OverlapScores out) {
    try {
      find(localHashes, count, out);
      return true;
    } catch (IndexOutOfBoundsException | NullPointerException | IllegalArgumentException torn) {
      return false;
    }
  }

  private void find(long[] query, int count, OverlapScores out) {
    out.clearForNumbers(workerOfSlot);
    int node = count == 0 ? 0 : child(NodeArena.ROOT, query[0]);
    if (node == 0) {
      return;
    }
    int words = nodes.words();
    long[] active = out.scratch(words);
    Arrays.fill(active, 0, words, -1L);
    int depth = 0;
    while (true) {
      int length = nodes.length(node);
      int matched = blocks.match(nodes.start(node), query, depth, Math.min(length, count - depth));
      if (matched == 0) {
        return; // torn: a child is found by its first hash
      }
      boolean isAnyLeft = narrow(node, active, words, depth, matched, out);
      depth += matched;
      if (!isAnyLeft) {
        return;
      }
      node = matched == length && depth < count ? child(node, query[depth]) : 0;
      if (node == 0) {
        emitAll(active, words, depth, out);
        return;
      }
    }
  }

  /**
   * Keeps the active slots that hold the whole edge. The others end in it, at their first block
   * that is missing or where the query leaves it.
   */
  private boolean narrow(
      int node, long[] active, int words, int depth, int matched, OverlapScores out) {
    PartialHolders some = nodes.partials(node);
    if (some != null) {
      for (int i = 0; i < some.size(); i++) {
        int slot = some.slot(i);
        if ((active[slot >> 6] & 1L << slot) != 0) {
          active[slot >> 6] &= ~(1L << slot);
          int held = Long.numberOfTrailingZeros(~some.mask(i));
          int end = depth + Math.min(held, matched);
          if (end > 0) {
            out.addNumbered(slot, 1L, end);
          }
        }
      }
    }
    long left = 0;
    for (int word = 0; word < words; word++) {
      long full = nodes.fullWord(node, word);
      if (depth > 0) {
        out.addNumbered(word << 6, active[word] & ~full, depth);
      }
      active[word] &= full;
      left |= active[word];
    }
    return left != 0;
  }

  private void emitAll(long[] active, int words, int depth, OverlapScores out) {
    for (int word = 0; word < words; word++) {
      out.addNumbered(word << 6, active[word], depth);
    }
  }

  /** Returns the child of a node whose edge begins with a hash, 0 if there is none. */
  private int child(int parent, long firstHash) {
    int mark = children.mark(parent, firstHash);
    long[] entries = children.entries();
    int mask = entries.length - 1;
    for (int probe = 0; probe <= mask; probe++) {
      long entry = entries[(mark + probe) & mask];
      if (entry == 0) {
        return 0;
      }
      int node = ChildTable.nodeOf(entry);
      if (ChildTable.markOf(entry) == mark
          && nodes.parent(node) == parent
          && blocks.hash(nodes.start(node)) == firstHash) {
        return node;
      }
    }
    return 0;
  }

  @Override
  public long blockCount() {
    return blockCount;
  }

  /** Returns the number of nodes: edges of up to 64 blocks. */
  public long nodeCount() {
    return nodes.size();
  }

  @Override
  public void dump(Consumer<RouterEvent> sink) {
    TreeDump dump = new TreeDump(nodes, blocks, sink);
    ranks.values().forEach(dump::write);
  }

  /**
   * Checks every invariant. O(index); for tests.
   *
   * @throws IllegalStateException naming the first rule broken
   */
  public void checkInvariants() {
    TreeInvariants.check(nodes, blocks, children, ranks.values(), usedSlots, blockCount);
  }
}
