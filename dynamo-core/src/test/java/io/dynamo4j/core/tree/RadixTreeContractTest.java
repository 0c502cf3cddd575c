// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.testing.SyncIndexerContract;

class RadixTreeContractTest extends SyncIndexerContract {
  @Override
  protected SyncIndexer create() {
    return RadixTree.create(42);
  }

  @Override
  protected void checkInvariants(SyncIndexer subject) {
    ((RadixTree) subject).checkInvariants();
  }

  @Override
  protected int longChain() {
    return 1_000_000;
  }
}
