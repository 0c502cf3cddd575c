// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;

/** Where the load of a rank as its router has booked it comes from. */
@FunctionalInterface
interface RankLoads {

  WorkerLoad load(WorkerWithDpRank worker);

  /** Returns the loads of a dispatcher that books nothing. */
  static RankLoads none() {
    return worker -> WorkerLoad.NONE;
  }
}
