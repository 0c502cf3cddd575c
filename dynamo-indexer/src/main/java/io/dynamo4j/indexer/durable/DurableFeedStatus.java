// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DurableKvFeed} at one moment.
 *
 * @param appliedSequence the last entry that the index has
 * @param coveredSequence the last entry that the newest known snapshot covers, 0 for none
 * @param incompleteRanks how many ranks lack something, or may since entries were lost; as of the
 *     newest check
 * @param firstIncomplete which those are, the first sixteen
 * @param isWhole whether nothing was gone from the log that no snapshot covers
 * @param counts every counter; they never go back
 * @param refusals the newest snapshots that were refused, with why; at most sixteen
 * @param lastFailure what failed last and has not succeeded since, null if nothing
 */
public record DurableFeedStatus(
    DurableFeedState state,
    long appliedSequence,
    long coveredSequence,
    int incompleteRanks,
    List<WorkerWithDpRank> firstIncomplete,
    boolean isWhole,
    Map<DurableFeedCounter, Long> counts,
    List<String> refusals,
    @Nullable String lastFailure) {

  public DurableFeedStatus {
    Objects.requireNonNull(state, "state");
    firstIncomplete = List.copyOf(firstIncomplete);
    counts = Collections.unmodifiableMap(new TreeMap<>(counts));
    refusals = List.copyOf(refusals);
  }

  public long count(DurableFeedCounter counter) {
    return counts.getOrDefault(counter, 0L);
  }
}
