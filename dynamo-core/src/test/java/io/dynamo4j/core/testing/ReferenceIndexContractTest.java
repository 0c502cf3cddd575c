// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.tree.SyncIndexer;

/** The oracle passes its own contract; long chains are not its purpose. */
class ReferenceIndexContractTest extends SyncIndexerContract {
  @Override
  protected SyncIndexer create() {
    return ReferenceIndex.create();
  }

  @Override
  protected void checkInvariants(SyncIndexer subject) {}

  @Override
  protected int longChain() {
    return 200;
  }

  @Override
  protected int streams() {
    return 5;
  }
}
