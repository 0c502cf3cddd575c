// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.EnumMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which registered ranks may take a request: pin, allow-list, ranks that already failed it, drain
 * marks. Ranks that failed other requests just now are avoided unless nobody else is left.
 */
final class Eligibility {
  private final WorkerAvailability availability;

  Eligibility(WorkerAvailability availability) {
    this.availability = availability;
  }

  /**
   * Writes the table indexes of eligible ranks in table order.
   *
   * @param out at least {@code table.size()} long
   * @return how many were written
   */
  int collect(RankTable table, RoutingHints hints, Set<WorkerWithDpRank> failed, int[] out) {
    int eligible = collect(table, hints, failed, false, out);
    return eligible > 0 ? eligible : collect(table, hints, failed, true, out);
  }

  private int collect(
      RankTable table,
      RoutingHints hints,
      Set<WorkerWithDpRank> failed,
      boolean withInhibited,
      int[] out) {
    int count = 0;
    for (int i = 0; i < table.size(); i++) {
      WorkerWithDpRank rank = table.rank(i);
      if (reason(rank, hints, failed) == null
          && (withInhibited || !availability.isInhibited(rank))) {
        out[count++] = i;
      }
    }
    return count;
  }

  /**
   * Describes why nobody was left.
   *
   * @param filtered whether the policy refused those that these rules had passed
   */
  NoEligibleWorkerException explain(
      BookingKey key,
      RankTable table,
      RoutingHints hints,
      Set<WorkerWithDpRank> failed,
      boolean filtered) {
    EnumMap<IneligibilityReason, Integer> counts = new EnumMap<>(IneligibilityReason.class);
    for (int i = 0; i < table.size(); i++) {
      IneligibilityReason reason = reason(table.rank(i), hints, failed);
      if (reason == null && filtered) {
        reason = IneligibilityReason.FILTERED;
      }
      if (reason != null) {
        counts.merge(reason, 1, Integer::sum);
      }
    }
    return new NoEligibleWorkerException(key, table.size(), counts);
  }

  private @Nullable IneligibilityReason reason(
      WorkerWithDpRank rank, RoutingHints hints, Set<WorkerWithDpRank> failed) {
    WorkerWithDpRank pinned = hints.pinnedWorker();
    if (pinned != null && !pinned.equals(rank)) {
      return IneligibilityReason.NOT_PINNED;
    }
    if (!hints.allows(rank.workerId())) {
      return IneligibilityReason.NOT_ALLOWED;
    }
    if (!failed.isEmpty() && failed.contains(rank)) {
      return IneligibilityReason.FAILED_THIS_REQUEST;
    }
    return availability.isDraining(rank) ? IneligibilityReason.DRAINING : null;
  }
}
