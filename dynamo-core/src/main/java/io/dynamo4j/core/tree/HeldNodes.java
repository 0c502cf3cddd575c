// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.core.collect.LongObjectMap;
import java.util.Arrays;
import java.util.Objects;

/**
 * The nodes of which one rank holds something, each with a place from 0 on: what it holds, by which
 * hashes, and which of them hang below which. Used again for one rank after the other.
 */
final class HeldNodes {
  /** What stands for no place. */
  static final int NOBODY = -1;

  private static final int INITIAL_NODES = 64;
  private static final long[] NONE = {};

  private final NodeArena nodes;
  private final BlockArena blocks;
  // By node: its place + 1.
  private final int[] placeOfNode;

  // By place.
  private int[] node = new int[INITIAL_NODES];
  private int[] start = new int[INITIAL_NODES];
  private int[] offset = new int[INITIAL_NODES];
  private int[] firstChild = new int[INITIAL_NODES];
  private int[] nextSibling = new int[INITIAL_NODES];
  private long[] mask = new long[INITIAL_NODES];
  private int size;
  private int firstAtRoot = NOBODY;

  // By offset of a place and position: the first hash of each block held.
  private long[] hashes = new long[INITIAL_NODES * BlockArena.MAX_RUN];
  private int hashCount;
  // By address: all hashes of a block that has several, and how many have been noted.
  private LongObjectMap<long[]> several = LongObjectMap.create(0);
  private LongIntMap noted = LongIntMap.create(0);

  // What is being noted: hashes, addresses + 1 and the nodes of those.
  private long[] pairHashes = {};
  private int[] pairAddresses = {};
  private int[] pairOwners = {};

  HeldNodes(NodeArena nodes, BlockArena blocks) {
    this.nodes = nodes;
    this.blocks = blocks;
    this.placeOfNode = new int[nodes.limit()];
  }

  /** Takes in what a rank holds; the tree must not change until {@link #clear}. */
  void fill(RankTable rank) {
    int count = rank.pairCount();
    if (count > pairHashes.length) {
      pairHashes = new long[count + count / 4];
      pairAddresses = new int[pairHashes.length];
      pairOwners = new int[pairHashes.length];
    }
    int pairs = rank.copyLatest(pairHashes, pairAddresses, pairHashes.length);
    // A loop of its own: that the places are all over memory then costs an eighth.
    for (int i = 0; i < pairs; i++) {
      pairOwners[i] = blocks.owner(pairAddresses[i] - 1);
    }
    for (int i = 0; i < pairs; i++) {
      note(rank, pairHashes[i], pairAddresses[i] - 1, pairOwners[i]);
    }
    rank.forEachEarlier((hash, address) -> note(rank, hash, address, blocks.owner(address)));
    for (int place = 0; place < size; place++) {
      if ((mask[place] & 1) != 0) {
        hang(place);
      }
    }
  }

  private void note(RankTable rank, long hash, int address, int owner) {
    int place = placeOfNode[owner] - 1;
    if (place < 0) {
      place = enter(rank, owner);
    }
    int at = offset[place] + address - start[place];
    if (rank.furtherHashes(address) == 0) {
      hashes[at] = hash;
      return;
    }
    noteFurther(address, 1 + rank.furtherHashes(address), hash);
    hashes[at] = Objects.requireNonNull(several.get(address))[0];
  }

  private void noteFurther(int address, int count, long hash) {
    long[] all = several.get(address);
    if (all == null) {
      all = new long[count];
      several.put(address, all);
    }
    all[noted.add(address, 1) - 1] = hash;
  }

  private int enter(RankTable rank, int owner) {
    if (size == node.length) {
      node = Arrays.copyOf(node, size * 2);
      start = Arrays.copyOf(start, size * 2);
      offset = Arrays.copyOf(offset, size * 2);
      firstChild = Arrays.copyOf(firstChild, size * 2);
      nextSibling = Arrays.copyOf(nextSibling, size * 2);
      mask = Arrays.copyOf(mask, size * 2);
    }
    int length = nodes.length(owner);
    if (hashCount + length > hashes.length) {
      hashes = Arrays.copyOf(hashes, hashes.length * 2);
    }
    node[size] = owner;
    start[size] = nodes.start(owner);
    offset[size] = hashCount;
    firstChild[size] = NOBODY;
    nextSibling[size] = NOBODY;
    mask[size] = nodes.mask(owner, rank.slot);
    hashCount += length;
    placeOfNode[owner] = ++size;
    return size - 1;
  }

  /** Enters a node, whose first block is held, among the children of its parent. */
  private void hang(int place) {
    int parent = nodes.parent(node[place]);
    if (parent == NodeArena.ROOT) {
      nextSibling[place] = firstAtRoot;
      firstAtRoot = place;
    } else if (placeOfNode[parent] > 0) {
      int above = placeOfNode[parent] - 1;
      nextSibling[place] = firstChild[above];
      firstChild[above] = place;
    }
  }

  /** Forgets everything and keeps its room. */
  void clear() {
    for (int place = 0; place < size; place++) {
      placeOfNode[node[place]] = 0;
    }
    size = 0;
    hashCount = 0;
    firstAtRoot = NOBODY;
    if (several.size() > 0) {
      several = LongObjectMap.create(0);
      noted = LongIntMap.create(0);
    }
  }

  int size() {
    return size;
  }

  /** Returns the first of the nodes at the root whose first block is held, or {@link #NOBODY}. */
  int firstAtRoot() {
    return firstAtRoot;
  }

  /** Returns the first of the children whose first block is held, or {@link #NOBODY}. */
  int firstChild(int place) {
    return firstChild[place];
  }

  int nextSibling(int place) {
    return nextSibling[place];
  }

  int start(int place) {
    return start[place];
  }

  int length(int place) {
    return nodes.length(node[place]);
  }

  /** Returns the blocks of the node that are held, as bits. */
  long mask(int place) {
    return mask[place];
  }

  /** Returns the place of the node of a block of which something is held. */
  int placeOf(int address) {
    return placeOfNode[blocks.owner(address)] - 1;
  }

  boolean holds(int address) {
    int place = placeOf(address);
    return place >= 0 && (mask[place] & 1L << (address - start[place])) != 0;
  }

  /** Returns the first hash of a block that is held. */
  long hash(int address) {
    int place = placeOf(address);
    return hashes[offset[place] + address - start[place]];
  }

  boolean hasFurther() {
    return several.size() > 0;
  }

  /** Returns the hashes of a block beyond the first. */
  long[] further(int address) {
    long[] all = several.get(address);
    return all == null ? NONE : Arrays.copyOfRange(all, 1, all.length);
  }

  /** Copies hashes of blocks, those of the rank and the local ones. */
  void copy(int place, int from, int count, long[] external, long[] local, int to) {
    System.arraycopy(hashes, offset[place] + from, external, to, count);
    blocks.read(start[place] + from, local, to, count);
  }
}
