// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

/**
 * A lookup in which something else happens at the worst of times, between what was read and the
 * check of it; and, if so planted, with a check left out, which must be missed.
 */
final class InterleavedWalk extends PrefixWalk {

  /** What is left out. */
  enum Fault {
    NONE,
    /** Nodes are not looked at again after they were read. */
    SKIPS_VERSIONS,
    /** Losses since the start are not asked for. */
    SKIPS_LOSSES
  }

  private final Runnable between;
  private final Fault fault;

  private InterleavedWalk(
      TreeClock clock,
      RankSlots slots,
      NodeArena nodes,
      BlockArena blocks,
      ChildTable children,
      Runnable between,
      Fault fault) {
    super(clock, slots, nodes, blocks, children);
    this.between = between;
    this.fault = fault;
  }

  /** Returns an empty tree whose lookups are interleaved with something else. */
  static RadixTree treeWith(long seed, HolderForm form, Runnable between, Fault fault) {
    return new RadixTree(
        seed,
        RadixTree.MAX_RANKS,
        Long.MAX_VALUE,
        Long.MAX_VALUE,
        form,
        (clock, slots, nodes, blocks, children) ->
            new InterleavedWalk(clock, slots, nodes, blocks, children, between, fault));
  }

  @Override
  boolean isUndisturbed(long[] itsChunk, int itsBase, long itsHead) {
    between.run();
    return fault == Fault.SKIPS_VERSIONS || super.isUndisturbed(itsChunk, itsBase, itsHead);
  }

  @Override
  boolean stands(boolean isLast) {
    between.run();
    return fault == Fault.SKIPS_LOSSES || super.stands(isLast);
  }
}
