// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.BitSet;
import java.util.Collection;

/**
 * What always holds between the parts of a {@link RadixTree}, event by event.
 *
 * <ol>
 *   <li>I1 a node has 1 to 64 blocks, all owned by it, within its run; its parent is alive
 *   <li>I2 the table finds each node under its parent and first hash, and nothing else
 *   <li>I3 the number and the xor of a node's children are right
 *   <li>I4 a slot is full or partial as its mask says, never both, and belongs to a rank
 *   <li>I5 the last block of a leaf is held: nothing dead is linked
 *   <li>I6 a node without a run of its own begins where its parent's blocks end
 *   <li>I7 runs in use are those of nodes
 *   <li>I8 the pairs of the ranks are the held blocks, further hashes included
 *   <li>I9 between changes no node is changing, and no other is anything else
 * </ol>
 */
final class TreeInvariants {
  private final NodeArena nodes;
  private final BlockArena blocks;
  private final ChildTable children;
  private final RankSlots.Tenants tenants;
  private final int[] childCount;
  private final int[] childXor;
  private long runBlocks;
  private long heldBlocks;

  private TreeInvariants(
      NodeArena nodes, BlockArena blocks, ChildTable children, RankSlots.Tenants tenants) {
    this.nodes = nodes;
    this.blocks = blocks;
    this.children = children;
    this.tenants = tenants;
    this.childCount = new int[nodes.limit()];
    this.childXor = new int[nodes.limit()];
  }

  static void check(
      NodeArena nodes,
      BlockArena blocks,
      ChildTable children,
      Collection<RankTable> ranks,
      RankSlots.Tenants tenants,
      long blockCount) {
    TreeInvariants invariants = new TreeInvariants(nodes, blocks, children, tenants);
    invariants.checkNodes();
    invariants.checkRanks(ranks, blockCount);
  }

  private void checkNodes() {
    int live = 0;
    for (int node = 1; node < nodes.limit(); node++) {
      if (nodes.length(node) == 0) {
        require(nodes.isChanging(node), "I9 free", node);
      } else {
        live++;
        checkEdge(node);
        checkTable(node);
        checkHolders(node);
        childCount[nodes.parent(node)]++;
        childXor[nodes.parent(node)] ^= node;
      }
    }
    require(live == nodes.size(), "I1 live nodes", live);
    require(live == children.size(), "I2 table size", children.size());
    require(runBlocks == blocks.liveBlocks(), "I7 runs", runBlocks);
    for (int node = 0; node < nodes.limit(); node++) {
      require(childCount[node] == nodes.childCount(node), "I3 children", node);
      require(childXor[node] == nodes.onlyChild(node), "I3 xor of children", node);
      if (nodes.length(node) > 0 && childCount[node] == 0) {
        long held = nodes.heldByAnybody(node);
        require(held >>> (nodes.length(node) - 1) == 1, "I5 dead end", node);
      }
    }
  }

  private void checkEdge(int node) {
    int length = nodes.length(node);
    int start = nodes.start(node);
    require(!nodes.isChanging(node), "I9 changing", node);
    require(length <= nodes.capacity(node) && length <= BlockArena.MAX_RUN, "I1 length", node);
    for (int i = 0; i < length; i++) {
      require(blocks.owner(start + i) == node, "I1 owner", node);
    }
    int parent = nodes.parent(node);
    require(parent == NodeArena.ROOT || nodes.length(parent) > 0, "I1 parent", node);
    if (!nodes.owns(node)) {
      require(parent != NodeArena.ROOT, "I6 run of the root", node);
      require(start == nodes.start(parent) + nodes.length(parent), "I6 start", node);
      require(nodes.capacity(parent) == nodes.length(parent), "I6 room", node);
    }
    runBlocks += nodes.capacity(node);
  }

  private void checkTable(int node) {
    int mark = children.mark(nodes.parent(node), blocks.hash(nodes.start(node)));
    long[] entries = children.entries();
    int slot = mark & (entries.length - 1);
    while (entries[slot] != 0 && ChildTable.nodeOf(entries[slot]) != node) {
      slot = (slot + 1) & (entries.length - 1);
    }
    require(entries[slot] != 0 && ChildTable.markOf(entries[slot]) == mark, "I2 not found", node);
  }

  private void checkHolders(int node) {
    int length = nodes.length(node);
    nodes.forEachFull(
        node,
        slot -> {
          require(tenants.isTaken(slot), "I4 free slot", node);
          require(nodes.isFull(node, slot), "I4 not found", node);
          heldBlocks += length;
        });
    PartialHolders some = nodes.partials(node);
    require(some == null || some.size() > 0, "I4 empty list", node);
    for (int i = 0; some != null && i < some.size(); i++) {
      long mask = some.mask(i);
      require(tenants.isTaken(some.slot(i)), "I4 free slot", node);
      require(i == 0 || some.slot(i - 1) < some.slot(i), "I4 order", node);
      require(mask != 0 && mask != NodeLayout.allBlocks(length), "I4 form", node);
      require((mask & ~NodeLayout.allBlocks(length)) == 0, "I4 beyond the edge", node);
      require(!nodes.isFull(node, some.slot(i)), "I4 both forms", node);
      heldBlocks += Long.bitCount(mask);
    }
  }

  private void checkRanks(Collection<RankTable> ranks, long blockCount) {
    long pairs = 0;
    for (RankTable rank : ranks) {
      require(rank.pairCount() > 0 && tenants.isTaken(rank.slot), "I8 idle rank", rank.worker);
      BitSet seen = new BitSet();
      long[] further = {0};
      int[] counted = {0};
      rank.forEachPair(
          (hash, address) -> {
            int node = blocks.owner(address);
            require(node > 0, "I8 pair without a block", hash);
            long mask = nodes.mask(node, rank.slot);
            require((mask & 1L << (address - nodes.start(node))) != 0, "I8 not held", hash);
            further[0] += seen.get(address) ? 0 : rank.furtherHashes(address);
            seen.set(address);
            counted[0]++;
          });
      require(counted[0] == rank.pairCount(), "I8 pair count", rank.worker);
      require(seen.cardinality() + further[0] == counted[0], "I8 further", rank.worker);
      heldBlocks -= seen.cardinality();
      pairs += counted[0];
    }
    require(heldBlocks == 0, "I8 held without a pair", heldBlocks);
    require(pairs == blockCount, "I8 count", pairs);
    require(tenants.count() == ranks.size(), "I8 slots", tenants.count());
  }

  private static void require(boolean holds, String rule, Object subject) {
    if (!holds) {
      throw new IllegalStateException("index is inconsistent: rule=" + rule + ", at=" + subject);
    }
  }
}
