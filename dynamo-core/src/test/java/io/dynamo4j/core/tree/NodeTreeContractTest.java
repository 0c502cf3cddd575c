// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.testing.SyncIndexerContract;

/** The straightforward tree that the production tree is compared with. */
class NodeTreeContractTest extends SyncIndexerContract {
  @Override
  protected SyncIndexer create() {
    return NodeTree.create(42);
  }

  @Override
  protected void checkInvariants(SyncIndexer subject) {
    ((NodeTree) subject).checkInvariants();
  }

  @Override
  protected int streams() {
    return 10;
  }
}
