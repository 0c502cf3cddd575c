// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerInstance;

/**
 * A booking as a stream sees it.
 *
 * @param reportsCache whether what the engine says of its cache is held against the choice
 */
record LeasePlacement(RequestLease lease, boolean reportsCache) implements Placement {

  LeasePlacement(RequestLease lease) {
    this(lease, true);
  }

  @Override
  public WorkerInstance instance() {
    return lease.instance();
  }

  @Override
  public WorkerWithDpRank worker() {
    return lease.worker();
  }

  @Override
  public void tokensArrived(int count) {
    lease.markPrefillCompleted();
    lease.addOutputTokens(count);
  }

  @Override
  public void cachedTokensReported(long tokens) {
    if (reportsCache) {
      lease.reportCachedTokens(tokens);
    }
  }

  @Override
  public void release() {
    lease.close();
  }
}
