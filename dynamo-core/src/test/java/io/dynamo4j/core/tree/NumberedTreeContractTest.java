// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.testing.SyncIndexerContract;

/** The tree as it is among thousands of ranks, with limits that a few ranks exceed. */
class NumberedTreeContractTest extends SyncIndexerContract {
  @Override
  protected SyncIndexer create() {
    return HolderForms.treeOf(42, HolderForm.of(0, 2));
  }

  @Override
  protected void checkInvariants(SyncIndexer subject) {
    ((RadixTree) subject).checkInvariants();
  }
}
