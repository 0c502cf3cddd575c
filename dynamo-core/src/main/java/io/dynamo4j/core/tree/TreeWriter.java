// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongIntMap;

/**
 * Adds and releases the blocks of one rank at a time, and keeps the tree of nodes as small as what
 * is held allows: edges are split where ranks part, and trimmed, freed and merged when they do no
 * more.
 *
 * <p><b>Threads.</b> The writer's alone. What it changes is visible to readers at once, in an order
 * in which they never see more than is held; see {@link NodeArena}.
 */
final class TreeWriter {
  // Removals whose entries are fetched together.
  private static final int FETCHED = 64;

  private final NodeArena nodes;
  private final BlockArena blocks;
  private final ChildTable children;

  // Blocks of one edge that are to be taken from a rank: removals come in runs, and a node that is
  // changed once for a run instead of for each block costs a third less.
  private int runNode;
  private int runStart;
  private int runLength; // of the edge; 0 if there is no run
  private long run;

  TreeWriter(NodeArena nodes, BlockArena blocks, ChildTable children) {
    this.nodes = nodes;
    this.blocks = blocks;
    this.children = children;
  }

  /* --------------- Adding --------------- */

  /**
   * Walks and makes the path below a block and returns how many pairs are new.
   *
   * @param parent address of the block, negative for the root
   */
  int append(RankTable rank, int parent, long[] hashes, long[] locals) {
    int node = parent < 0 ? NodeArena.ROOT : blocks.owner(parent);
    int position = parent < 0 ? -1 : parent - nodes.start(node); // of the last block passed
    int added = 0;
    int done = 0;
    while (done < hashes.length) {
      long held;
      if (position + 1 < nodes.length(node)) {
        held = nodes.mask(node, rank.slot);
      } else {
        int child = nodes.childCount(node) == 0 ? 0 : child(node, locals[done]);
        held = nodes.mask(node, rank.slot);
        if (child == 0) {
          rank.makeRoomFor(hashes.length - done); // there is no place for any of them yet
        }
        if (child != 0 || !extend(rank, node, locals, done)) {
          node = child != 0 ? child : newChild(rank, node, locals, done);
          position = -1;
          held = nodes.mask(node, rank.slot);
        }
      }
      int room = Math.min(nodes.length(node) - position - 1, hashes.length - done);
      int run = blocks.match(nodes.start(node) + position + 1, locals, done, room);
      if (run > 0) {
        added += hold(rank, node, position + 1, hashes, done, run, held);
        position += run;
        done += run;
      } else {
        node = split(node, position + 1);
      }
    }
    return added;
  }

  /** Returns how many pairs {@link #append} would add for a rank, and changes nothing. */
  int countNew(RankTable rank, int parent, long[] hashes, long[] locals) {
    int node = parent < 0 ? NodeArena.ROOT : blocks.owner(parent);
    int position = parent < 0 ? -1 : parent - nodes.start(node);
    int known = 0;
    for (int i = 0; i < hashes.length; i++) {
      if (position + 1 == nodes.length(node)) {
        node = child(node, locals[i]);
        position = -1;
      }
      int address = nodes.start(node) + ++position;
      if (node == 0 || blocks.hash(address) != locals[i]) {
        break; // what is behind a place that does not exist is new
      }
      known += rank.has(hashes[i], address) ? 1 : 0;
    }
    return hashes.length - known;
  }

  /** Returns the child of a node whose edge begins with a hash, 0 if there is none. */
  private int child(int parent, long firstHash) {
    int mark = children.mark(parent, firstHash);
    long[] entries = children.entries();
    int mask = entries.length - 1;
    for (int slot = mark & mask; entries[slot] != 0; slot = (slot + 1) & mask) {
      int node = ChildTable.nodeOf(entries[slot]);
      if (ChildTable.markOf(entries[slot]) == mark
          && nodes.parent(node) == parent
          && blocks.hash(nodes.start(node)) == firstHash) {
        return node;
      }
    }
    return 0;
  }

  /** Adds pairs for a run of blocks of one edge, of which the rank held some before. */
  private int hold(
      RankTable rank, int node, int position, long[] hashes, int from, int count, long held) {
    int address = nodes.start(node) + position;
    int added = 0;
    rank.fetch(hashes, from, count);
    for (int i = 0; i < count; i++) {
      boolean isHeld = (held & 1L << (position + i)) != 0;
      added += rank.add(hashes[from + i], address + i, isHeld) ? 1 : 0;
    }
    nodes.setMask(node, rank.slot, held | NodeLayout.allBlocks(count) << position);
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
    nodes.grow(node, more);
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
    nodes.end(node);
    children.makeRoom(1);
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
    children.makeRoom(1);
    nodes.begin(node);
    int prefix = nodes.create(parent, start, length, length, nodes.owns(node));
    nodes.setEdge(
        node,
        start + length,
        nodes.length(node) - length,
        nodes.capacity(node) - length,
        /* owns= */ false);
    nodes.setParent(node, prefix);
    nodes.divideHolders(prefix, length, node);
    blocks.own(start, length, prefix);
    nodes.replaceChild(parent, node, prefix);
    nodes.addChild(prefix, node);
    nodes.end(prefix);
    children.replace(children.mark(parent, blocks.hash(start)), node, prefix);
    children.add(children.mark(prefix, blocks.hash(start + length)), node);
    nodes.end(node);
    return prefix;
  }

  /* --------------- Releasing --------------- */

  /** Drops hashes of a rank and what it held by them; returns how many it did not hold. */
  int remove(RankTable rank, long[] hashes) {
    runLength = 0;
    int unknown = 0;
    for (int i = 0; i < hashes.length; i++) {
      if (i % FETCHED == 0) {
        rank.fetch(hashes, i, Math.min(FETCHED, hashes.length - i));
      }
      int address = rank.removeLatest(hashes[i]);
      if (address < 0) {
        unknown++;
        continue;
      }
      release(rank, address);
      LongIntMap others = rank.removeEarlier(hashes[i]);
      if (others != null) {
        others.forEach((other, one) -> release(rank, (int) other));
      }
    }
    releaseRun(rank);
    return unknown;
  }

  /** Lets the next run take one block from a rank, unless the rank holds it by another hash. */
  private void release(RankTable rank, int address) {
    if (rank.dropFurtherHash(address)) {
      return;
    }
    int position = address - runStart;
    if (position < 0 || position >= runLength) {
      releaseRun(rank);
      runNode = blocks.owner(address);
      runStart = nodes.start(runNode);
      runLength = nodes.length(runNode);
      run = 0;
      position = address - runStart;
    }
    run |= 1L << position;
  }

  private void releaseRun(RankTable rank) {
    if (runLength > 0) {
      nodes.setMask(runNode, rank.slot, nodes.mask(runNode, rank.slot) & ~run);
      tidy(runNode);
      runLength = 0;
    }
  }

  /** Takes all blocks from a rank. */
  void releaseAll(RankTable rank) {
    rank.forEachPair(
        (hash, address) -> {
          int node = blocks.owner(address);
          if (node > 0 && nodes.mask(node, rank.slot) != 0) {
            nodes.setMask(node, rank.slot, 0);
            tidy(node);
          }
        });
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
    nodes.begin(node);
    children.remove(children.mark(parent, blocks.hash(start)), node);
    nodes.removeChild(parent, node);
    int capacity = nodes.capacity(node);
    if (nodes.owns(node)) {
      blocks.free(start, capacity);
    } else {
      // The blocks before are the parent's: it was cut off from them.
      nodes.addCapacity(parent, capacity);
    }
    nodes.release(node);
    children.giveRoomBack();
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
    nodes.begin(node);
    nodes.begin(child);
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
    nodes.end(child);
    nodes.release(node);
    children.giveRoomBack();
  }
}
