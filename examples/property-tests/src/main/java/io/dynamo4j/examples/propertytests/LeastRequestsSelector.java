// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import io.dynamo4j.kvrouter.WorkerSelector;

/** A host's own policy: fewest requests in flight, then most cached, then chance. */
public final class LeastRequestsSelector implements WorkerSelector {

  @Override
  public WorkerSelectionResult select(
      SchedulingRequest request, WorkerCandidates candidates, RandomSource random) {
    int best = 0;
    int ties = 1;
    for (int row = 1; row < candidates.size(); row++) {
      double difference = cost(request, candidates, row) - cost(request, candidates, best);
      if (difference < 0) {
        ties = 1;
      } else if (difference == 0) {
        ties++;
      }
      if (difference < 0 || (difference == 0 && random.nextInt(ties) == 0)) {
        best = row;
      }
    }
    return WorkerSelectionResult.of(
        candidates, best, candidates.deviceBlocks(best), cost(request, candidates, best));
  }

  @Override
  public double cost(SchedulingRequest request, WorkerCandidates candidates, int row) {
    double uncached = 1 - candidates.deviceBlocks(row) / (double) (1 + candidates.promptBlocks());
    return candidates.activeRequests(row) + uncached;
  }
}
