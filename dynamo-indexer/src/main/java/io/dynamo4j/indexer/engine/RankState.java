// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

/** What was learned from one rank's events. */
final class RankState {
  private final long seed;

  /** Survives a clear: kinds of groups are the engine's, not its cache's. */
  final AttentionGroups groups;

  final AttentionWindows windows = new AttentionWindows();
  HeldBlocks blocks;

  RankState(long seed) {
    this.seed = seed;
    this.groups = new AttentionGroups(seed);
    this.blocks = new HeldBlocks(seed);
  }

  void clear() {
    blocks = new HeldBlocks(seed);
  }
}
