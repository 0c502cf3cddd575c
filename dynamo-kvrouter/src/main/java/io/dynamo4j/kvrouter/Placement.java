// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerInstance;

/** A chosen worker and whatever is held on it for one attempt. */
interface Placement {

  WorkerInstance instance();

  WorkerWithDpRank worker();

  /** Reports generated tokens, at least one; called on the attempt's lane. */
  void tokensArrived(int count);

  /** Reports what the engine says of its cache; called on the attempt's lane. */
  default void cachedTokensReported(long tokens) {
    // Only who predicted wants to know.
  }

  /** Gives back what is held; from any thread, any number of times. */
  void release();
}
