// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;

/** What routers tell bookings apart by: a request on a rank. */
record SequenceKey(String requestId, WorkerWithDpRank worker) {

  /** Returns one booking's part of a digest that is the sum of all. */
  static long digest(String requestId, WorkerWithDpRank worker, boolean prefillPending) {
    long hash = prefillPending ? 1 : 0;
    for (int i = 0; i < requestId.length(); i++) {
      hash = mix(hash + requestId.charAt(i));
    }
    return mix(mix(hash ^ worker.workerId()) + worker.dpRank());
  }

  private static long mix(long z) {
    long x = (z + 0x9e3779b97f4a7c15L) * 0xbf58476d1ce4e5b9L;
    return x ^ (x >>> 29);
  }
}
