// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Index with one node a place, shared by all ranks that hold it, and one table from external hash
 * to places for each rank.
 *
 * <p>A node without holder and without children is unlinked at once, and with it every ancestor
 * that it alone kept. A rank without blocks gives its slot back.
 *
 * <p><b>Threads.</b> One writer, or any number of readers: the caller sees to that.
 *
 * <p><b>Cost.</b> apply O(blocks); lookup O(depth × ranks / 64), one node visit a block.
 */
public final class NodeTree implements SyncIndexer {
  private final long seed;
  private final TreeNode root = new TreeNode(0, null, 0);
  private final NavigableMap<WorkerWithDpRank, RankBlocks> ranks = new TreeMap<>();
  private final BitSet usedSlots = new BitSet();
  private @Nullable WorkerWithDpRank[] workerOfSlot = new WorkerWithDpRank[16];
  private final ApplyResult result = ApplyResult.create();
  private long lastNodeId;
  private long blockCount;
  private long nodeCount;

  private NodeTree(long seed) {
    this.seed = seed;
  }

  /**
   * Returns an empty index.
   *
   * @param seed mixes the hashes in the index's tables, so that peers cannot craft clusters: draw
   *     it from the component's chance
   */
  public static NodeTree create(long seed) {
    return new NodeTree(seed);
  }

  @Override
  public ApplyResult apply(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    if (data instanceof KvCacheEventData.Stored stored) {
      return store(event.worker(), stored);
    }
    if (data instanceof KvCacheEventData.Removed removed) {
      return remove(event.worker(), removed.blockHashes());
    }
    return result.removed(forget(event.worker()), 0);
  }

  private ApplyResult store(WorkerWithDpRank worker, KvCacheEventData.Stored stored) {
    long[] blockHashes = stored.blockHashes();
    RankBlocks rank = ranks.get(worker);
    TreeNode place = root;
    if (stored.hasParent()) {
      if (contains(blockHashes, stored.parentHash())) {
        return result.rejected(Outcome.SELF_REFERENCE, blockHashes.length);
      }
      place = rank == null ? null : rank.latestPlace(stored.parentHash());
    }
    if (place == null) {
      return result.rejected(Outcome.PARENT_NOT_FOUND, blockHashes.length);
    }
    if (blockHashes.length == 0) {
      return result.stored(0, 0);
    }
    return append(rank == null ? enrol(worker) : rank, place, blockHashes, stored.tokensHashes());
  }

  private ApplyResult append(
      RankBlocks rank, TreeNode from, long[] blockHashes, long[] localHashes) {
    TreeNode place = from;
    int added = 0;
    for (int i = 0; i < blockHashes.length; i++) {
      place = childOrNew(place, localHashes[i]);
      if (rank.add(blockHashes[i], place)) {
        added++;
      }
    }
    blockCount += added;
    return result.stored(added, blockHashes.length - added);
  }

  private TreeNode childOrNew(TreeNode parent, long localHash) {
    TreeNode child = parent.child(localHash);
    if (child == null) {
      child = new TreeNode(++lastNodeId, parent, localHash);
      parent.addChild(child, seed);
      nodeCount++;
    }
    return child;
  }

  private static boolean contains(long[] hashes, long hash) {
    for (long each : hashes) {
      if (each == hash) {
        return true;
      }
    }
    return false;
  }

  private ApplyResult remove(WorkerWithDpRank worker, long[] blockHashes) {
    RankBlocks rank = ranks.get(worker);
    if (rank == null) {
      return result.removed(0, blockHashes.length);
    }
    int removed = 0;
    int unknown = 0;
    for (long hash : blockHashes) {
      List<TreeNode> places = rank.remove(hash);
      places.forEach(this::prune);
      removed += places.size();
      unknown += places.isEmpty() ? 1 : 0;
    }
    blockCount -= removed;
    if (rank.pairCount() == 0) {
      dismiss(rank);
    }
    return result.removed(removed, unknown);
  }

  /** Unlinks a node that nobody needs, then every ancestor that it alone kept. */
  private void prune(TreeNode leaf) {
    TreeNode node = leaf;
    while (node.parent != null && !node.hasChildren() && !node.isHeld()) {
      if (node.parent.child(node.localHash) != node) {
        return; // unlinked before, as another place of the same hash
      }
      node.parent.removeChild(node);
      nodeCount--;
      node = node.parent;
    }
  }

  @Override
  public void removeWorker(long workerId) {
    WorkerWithDpRank first = new WorkerWithDpRank(workerId, 0);
    WorkerWithDpRank last = new WorkerWithDpRank(workerId, -1); // the greatest unsigned rank
    for (WorkerWithDpRank rank : List.copyOf(ranks.subMap(first, true, last, true).keySet())) {
      forget(rank);
    }
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    forget(worker);
  }

  private int forget(WorkerWithDpRank worker) {
    RankBlocks rank = ranks.get(worker);
    if (rank == null) {
      return 0;
    }
    rank.forEachPair(
        (hash, place) -> {
          place.release(rank.slot);
          prune(place);
        });
    blockCount -= rank.pairCount();
    dismiss(rank);
    return (int) Math.min(Integer.MAX_VALUE, rank.pairCount());
  }

  private RankBlocks enrol(WorkerWithDpRank worker) {
    int slot = usedSlots.nextClearBit(0);
    usedSlots.set(slot);
    if (slot >= workerOfSlot.length) {
      workerOfSlot = Arrays.copyOf(workerOfSlot, slot * 2);
    }
    workerOfSlot[slot] = worker;
    RankBlocks rank = new RankBlocks(worker, slot, seed);
    ranks.put(worker, rank);
    return rank;
  }

  private void dismiss(RankBlocks rank) {
    ranks.remove(rank.worker);
    usedSlots.clear(rank.slot);
    workerOfSlot[rank.slot] = null;
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    Objects.checkFromIndexSize(0, count, localHashes.length);
    out.clear();
    TreeNode node = count == 0 ? null : root.child(localHashes[0]);
    if (node == null) {
      return;
    }
    long[] active = node.holders().clone();
    for (int depth = 1; ; depth++) {
      node = depth < count ? node.child(localHashes[depth]) : null;
      if (node == null) {
        emit(active, depth, out);
        return;
      }
      if (!narrow(active, node.holders(), depth, out)) {
        return;
      }
    }
  }

  /** Keeps the active slots that hold the next place too; the others end at {@code depth}. */
  private boolean narrow(long[] active, long[] holders, int depth, OverlapScores out) {
    long left = 0;
    for (int word = 0; word < active.length; word++) {
      long kept = word < holders.length ? active[word] & holders[word] : 0;
      emitWord(word, active[word] & ~kept, depth, out);
      active[word] = kept;
      left |= kept;
    }
    return left != 0;
  }

  private void emit(long[] active, int depth, OverlapScores out) {
    for (int word = 0; word < active.length; word++) {
      emitWord(word, active[word], depth, out);
    }
  }

  private void emitWord(int word, long bits, int depth, OverlapScores out) {
    for (long left = bits; left != 0; left &= left - 1) {
      WorkerWithDpRank worker = workerOfSlot[(word << 6) + Long.numberOfTrailingZeros(left)];
      if (worker != null) {
        out.add(worker, depth);
      }
    }
  }

  @Override
  public long blockCount() {
    return blockCount;
  }

  /** Returns the number of places that somebody holds or that lead to one. */
  public long nodeCount() {
    return nodeCount;
  }

  @Override
  public void dump(Consumer<RouterEvent> sink) {
    NodeTreeDump dump = new NodeTreeDump(sink);
    ranks.values().forEach(rank -> dump.write(rank, root));
  }

  /**
   * Checks that nodes, holders and tables agree and that nothing dead is linked. O(index); for
   * tests.
   *
   * @throws IllegalStateException naming the first rule broken
   */
  public void checkInvariants() {
    long pairs = 0;
    for (Map.Entry<WorkerWithDpRank, RankBlocks> entry : ranks.entrySet()) {
      RankBlocks rank = entry.getValue();
      require(rank.pairCount() > 0, "rank without blocks is enrolled", rank.worker);
      require(usedSlots.get(rank.slot), "slot of a rank is free", rank.worker);
      require(entry.getKey().equals(workerOfSlot[rank.slot]), "slot names another", rank.worker);
      rank.forEachPair((hash, place) -> require(place.isHeldBy(rank.slot), "not held", hash));
      pairs += rank.pairCount();
    }
    require(pairs == blockCount, "pairs differ from the count", pairs);
    require(usedSlots.cardinality() == ranks.size(), "slots leak", usedSlots.cardinality());
    checkNodes();
  }

  private void checkNodes() {
    List<TreeNode> open = new ArrayList<>();
    root.forEachChild(open::add);
    long nodes = 0;
    long holdings = 0;
    while (!open.isEmpty()) {
      TreeNode node = open.remove(open.size() - 1);
      nodes++;
      require(node.isHeld() || node.hasChildren(), "dead node is linked", node.id);
      BitSet holders = BitSet.valueOf(node.holders());
      for (int slot = holders.nextSetBit(0); slot >= 0; slot = holders.nextSetBit(slot + 1)) {
        require(usedSlots.get(slot), "node held by a free slot", node.id);
        holdings += node.hashCount(slot);
      }
      node.forEachChild(open::add);
    }
    require(nodes == nodeCount, "nodes differ from the count", nodes);
    require(holdings == blockCount, "holdings differ from the pairs", holdings);
  }

  private static void require(boolean holds, String rule, Object subject) {
    if (!holds) {
      throw new IllegalStateException("index is inconsistent: rule=" + rule + ", at=" + subject);
    }
  }
}
