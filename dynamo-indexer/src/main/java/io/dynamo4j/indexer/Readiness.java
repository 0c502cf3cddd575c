// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.List;
import java.util.Objects;

/**
 * Whether an index knows enough of its sources, as {@link IndexReadiness} saw it.
 *
 * @param state what that means for traffic
 * @param progress how far the sources were known
 * @param missing ranks that were not
 * @param waitedNanos since it was first looked at
 */
public record Readiness(
    State state, RecoveryProgress progress, List<WorkerWithDpRank> missing, long waitedNanos) {

  public Readiness {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(progress, "progress");
    missing = List.copyOf(missing);
  }

  /** What traffic may expect. */
  public enum State {
    /** Too little is known, and there is time left to learn it. */
    NOT_READY,
    /** As much is known as was asked for. */
    READY,
    /** Less is known, and there is no time left. */
    DEGRADED
  }
}
