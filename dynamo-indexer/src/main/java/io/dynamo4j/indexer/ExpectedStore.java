// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/**
 * Waits for one rank to store a block with a certain hash; see {@link KvEventFeed#expectStore}.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ExpectedStore {
  private final long localHash;
  private volatile boolean seen;

  ExpectedStore(long localHash) {
    this.localHash = localHash;
  }

  /** Returns whether such a store has come. */
  public boolean isSeen() {
    return seen;
  }

  void stored(long firstLocalHash) {
    if (firstLocalHash == localHash) {
      seen = true;
    }
  }
}
