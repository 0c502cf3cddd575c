// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * What a prefix lookup is about: which ranks, and whether the depth of the last one matters.
 *
 * <p>Immutable. An index remembers with the caller's {@link OverlapScores} which of its ranks the
 * scope last used there names, so that lookups within one and the same scope make no garbage and
 * compare no names.
 */
public final class LookupScope {
  private static final LookupScope ALL = new LookupScope(null, null);

  // In order; null stands for all.
  private final WorkerWithDpRank @Nullable [] candidates;
  // The same ranks, each scored exactly; null if that is this scope.
  private final @Nullable LookupScope exact;

  private LookupScope(WorkerWithDpRank @Nullable [] candidates, @Nullable LookupScope exact) {
    this.candidates = candidates;
    this.exact = exact;
  }

  /** Returns the scope of all ranks, each scored exactly. */
  public static LookupScope all() {
    return ALL;
  }

  /** Returns the scope of some ranks, each scored exactly; others are absent from results. */
  public static LookupScope only(Collection<WorkerWithDpRank> candidates) {
    WorkerWithDpRank[] sorted = candidates.toArray(WorkerWithDpRank[]::new);
    Arrays.sort(sorted);
    return new LookupScope(sorted, null);
  }

  /**
   * Returns this scope for a caller who asks only which rank is best: the lookup may stop as soon
   * as one rank alone is left. Its score is then a lower bound, no less than any other; all others
   * are exact.
   */
  public LookupScope stoppingAtLastRank() {
    return new LookupScope(candidates, exact());
  }

  public boolean stopsAtLastRank() {
    return exact != null;
  }

  /** Returns the scope of the same ranks in which each is scored exactly. No allocation. */
  public LookupScope exact() {
    return exact == null ? this : exact;
  }

  /** Returns whether every rank is in this scope. */
  public boolean isOfAll() {
    return candidates == null;
  }

  /** Returns whether a rank is in this scope. O(log of the candidates). */
  public boolean includes(WorkerWithDpRank worker) {
    return candidates == null || Arrays.binarySearch(candidates, worker) >= 0;
  }

  @Override
  public String toString() {
    return "LookupScope[candidates="
        + (candidates == null ? "all" : Arrays.toString(candidates))
        + ", stopsAtLastRank="
        + stopsAtLastRank()
        + "]";
  }
}
