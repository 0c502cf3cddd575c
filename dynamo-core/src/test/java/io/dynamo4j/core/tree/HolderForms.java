// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

/** Trees that write holders as they do among thousands of ranks, with a few. */
final class HolderForms {
  private HolderForms() {}

  /** Returns the standard form for every other seed, else numbers of one, two or three slots. */
  static HolderForm of(long seed) {
    return seed % 2 == 0 ? HolderForm.STANDARD : HolderForm.of(0, 1 + (int) (seed / 2 % 3));
  }

  static RadixTree treeOf(long seed, HolderForm form) {
    return new RadixTree(
        seed, RadixTree.MAX_RANKS, Long.MAX_VALUE, Long.MAX_VALUE, form, PrefixWalk::new);
  }
}
