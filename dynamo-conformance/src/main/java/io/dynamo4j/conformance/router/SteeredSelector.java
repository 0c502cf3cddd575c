// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.kvrouter.DefaultWorkerSelector;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import io.dynamo4j.kvrouter.WorkerSelector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The selector under test, drawn again until chance falls on the rank that the recording had, and a
 * witness of what it decides from.
 */
public final class SteeredSelector implements WorkerSelector {
  private static final int MAX_DRAWS = 1_000;

  private final DefaultWorkerSelector selector;
  private @Nullable WorkerWithDpRank wanted;
  private List<Row> rows = List.of();

  public SteeredSelector(KvRouterConfig config) {
    this.selector = DefaultWorkerSelector.of(config);
  }

  /** One candidate as the selector saw it. */
  public record Row(
      WorkerWithDpRank worker,
      int deviceBlocks,
      long activePrefillTokens,
      long activeBlocks,
      int addedBlocks,
      int activeRequests) {}

  /** Asks that the next decisions fall on a rank, as far as the selector ever chooses it. */
  public void want(@Nullable WorkerWithDpRank worker) {
    this.wanted = worker;
  }

  /** Returns the candidates of the last decision. */
  public List<Row> rows() {
    return rows;
  }

  @Override
  public @Nullable WorkerSelectionResult select(
      SchedulingRequest request, WorkerCandidates candidates, RandomSource random) {
    List<Row> seen = new ArrayList<>();
    for (int i = 0; i < candidates.size(); i++) {
      seen.add(
          new Row(
              candidates.worker(i),
              candidates.deviceBlocks(i),
              candidates.activePrefillTokens(i),
              candidates.activeBlocks(i),
              candidates.addedBlocks(i),
              candidates.activeRequests(i)));
    }
    rows = seen;
    WorkerSelectionResult result = selector.select(request, candidates, random);
    for (int draw = 0; draw < MAX_DRAWS && wanted != null && result != null; draw++) {
      if (result.worker().equals(wanted)) {
        break;
      }
      result = selector.select(request, candidates, random);
    }
    return result;
  }
}
