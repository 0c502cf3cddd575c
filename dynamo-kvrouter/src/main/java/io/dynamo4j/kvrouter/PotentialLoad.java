// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/**
 * What one rank would carry if a request came to it now.
 *
 * @param prefillTokens prompt tokens still to be computed, those of the request included that the
 *     rank has not cached; without the request's where prompt tokens do not count for it
 * @param decodeBlocks distinct blocks held
 * @param activeRequests requests in flight, without this one
 */
public record PotentialLoad(
    WorkerWithDpRank worker, long prefillTokens, long decodeBlocks, int activeRequests) {

  public PotentialLoad {
    Objects.requireNonNull(worker, "worker");
  }
}
