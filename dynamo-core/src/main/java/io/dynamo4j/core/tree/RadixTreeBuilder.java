// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.function.Supplier;

/** Builds a {@link RadixTree}. */
public final class RadixTreeBuilder {
  private long seed;
  private int maxRanks = RadixTree.MAX_RANKS;
  private long maxBlocks = Long.MAX_VALUE;
  private long maxBlocksPerRank = Long.MAX_VALUE;

  RadixTreeBuilder() {}

  /**
   * Sets what mixes the hashes in the index's tables, so that peers cannot craft clusters: draw it
   * from the component's chance. 0 unless set.
   */
  public RadixTreeBuilder seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * Sets how many ranks may hold blocks at one time; a store of one more is {@link
   * ApplyResult.Outcome#OUT_OF_CAPACITY}. {@link RadixTree#MAX_RANKS} unless set.
   *
   * @throws IllegalArgumentException if not from 1 to {@link RadixTree#MAX_RANKS}
   */
  public RadixTreeBuilder maxRanks(int ranks) {
    if (ranks < 1 || ranks > RadixTree.MAX_RANKS) {
      throw new IllegalArgumentException(
          "ranks are out of range: maxRanks=" + ranks + ", most=" + RadixTree.MAX_RANKS);
    }
    this.maxRanks = ranks;
    return this;
  }

  /**
   * Bounds memory by the (hash, place) pairs held over all ranks, about 40 bytes each where ranks
   * share hashes and prefixes, up to about 250 where nothing is shared and every chain is one block
   * long. A store that would add more than there is room for is {@link
   * ApplyResult.Outcome#OUT_OF_CAPACITY}, and nothing of it is applied. Unbounded unless set.
   *
   * <p>Blocks that a rank has given up take room as long as they lead to one that it holds. A store
   * that would make more than eight times as many places as there may be pairs, beside some 30,000
   * for any index, is refused alike: a peer that keeps the ends of its chains and gives the rest up
   * cannot make the index grow without holding anything.
   *
   * @throws IllegalArgumentException if not positive
   */
  public RadixTreeBuilder maxBlocks(long blocks) {
    if (blocks < 1) {
      throw new IllegalArgumentException("blocks must be positive: maxBlocks=" + blocks);
    }
    this.maxBlocks = blocks;
    return this;
  }

  /**
   * Bounds the (hash, place) pairs of each rank, so that none takes the room of the others. A store
   * beyond it is {@link ApplyResult.Outcome#OUT_OF_CAPACITY}, and nothing of it is applied.
   * Unbounded unless set.
   *
   * @throws IllegalArgumentException if not positive
   */
  public RadixTreeBuilder maxBlocksPerRank(long blocks) {
    if (blocks < 1) {
      throw new IllegalArgumentException("blocks must be positive: maxBlocksPerRank=" + blocks);
    }
    this.maxBlocksPerRank = blocks;
    return this;
  }

  /** Returns an empty index. */
  public RadixTree build() {
    return toSupplier().get();
  }

  /** Returns what makes empty indexes with the settings as they are now, on any thread. */
  public Supplier<RadixTree> toSupplier() {
    long seedNow = seed;
    int maxRanksNow = maxRanks;
    long maxBlocksNow = maxBlocks;
    long maxOfRankNow = maxBlocksPerRank;
    return () ->
        new RadixTree(
            seedNow, maxRanksNow, maxBlocksNow, maxOfRankNow, HolderForm.STANDARD, PrefixWalk::new);
  }
}
