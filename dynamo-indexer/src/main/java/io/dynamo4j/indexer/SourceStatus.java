// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How well one rank's events are known.
 *
 * @param worker the rank
 * @param state what is being done about it
 * @param failedAttempts queries that failed since the last that was answered
 * @param lastFailure why the last of them failed, null if none did
 */
public record SourceStatus(
    WorkerWithDpRank worker, State state, int failedAttempts, @Nullable String lastFailure) {

  public SourceStatus {
    Objects.requireNonNull(worker, "worker");
    Objects.requireNonNull(state, "state");
  }

  /** What is being done about a source. */
  public enum State {
    /** Everything up to its newest known event is in the index. */
    EXACT,
    /** Nothing answers for it: its live events count, its past is unknown. */
    LIVE_ONLY,
    /** Its full state is asked for or being put into the index. */
    RESTORING,
    /** Missing events are asked for. */
    CATCHING_UP,
    /** It did not answer often enough; it is asked again after a while and at its next event. */
    UNREACHABLE;

    /** Returns whether scores of the rank may be out of date. */
    public boolean isStale() {
      return this == RESTORING || this == CATCHING_UP || this == UNREACHABLE;
    }
  }
}
