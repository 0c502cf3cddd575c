// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.SourceConflict;
import io.dynamo4j.indexer.SourceStatus;
import io.dynamo4j.kvrouter.FoundFaults.Evidence;

/** Finds ranks with two publishers, sources that recovery asks in vain, logs that nobody reads. */
final class SourceCheck implements HealthCheck {
  /** A new life's first events may come before the directory names it. */
  private static final int CONFLICT_SECONDS = 15;

  private static final int LEAST_FAILURES = 3;

  /** Both sides may be switched over one after the other. */
  private static final int DURABLE_SECONDS = 10;

  @Override
  public void check(HealthWindow window, FoundFaults found) {
    for (SourceConflict conflict : window.now().conflicts()) {
      if (conflict.writerId() != conflict.otherId()
          && window.always(CONFLICT_SECONDS, sample -> isIn(sample, conflict))) {
        found.addRank(
            HealthKind.PUBLISHER_CONFLICT,
            conflict.worker(),
            Evidence.of("writerId", conflict.writerId()).and("otherId", conflict.otherId()));
      }
    }
    checkDurable(window, found);
    for (SourceStatus source : window.now().sources()) {
      if (source.state() == SourceStatus.State.UNREACHABLE
          || source.failedAttempts() >= LEAST_FAILURES) {
        found.addRank(
            HealthKind.RECOVERY_FAILING,
            source.worker(),
            Evidence.of("failedAttempts", source.failedAttempts())
                .and("givenUp", source.state() == SourceStatus.State.UNREACHABLE ? 1 : 0));
      }
    }
  }

  private static void checkDurable(HealthWindow window, FoundFaults found) {
    HealthSample now = window.now();
    for (WorkerWithDpRank rank : now.oneSided()) {
      boolean isRegistered = now.ranks().containsKey(rank);
      if (isRegistered && window.always(DURABLE_SECONDS, s -> s.oneSided().contains(rank))) {
        found.addRank(
            HealthKind.DURABLE_ON_ONE_SIDE,
            rank,
            Evidence.of("oneSidedRanks", now.oneSided().size()));
      }
    }
  }

  private static boolean isIn(HealthSample sample, SourceConflict conflict) {
    return sample.conflicts().stream()
        .anyMatch(
            other ->
                other.worker().equals(conflict.worker()) && other.writerId() != other.otherId());
  }
}
