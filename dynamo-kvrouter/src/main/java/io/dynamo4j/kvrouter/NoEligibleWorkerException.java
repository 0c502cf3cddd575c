// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.SafeText;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * No registered rank may take the request; says how many were ruled out by what.
 *
 * <p>Of type {@code CAPACITY_EXHAUSTED} if some only carry too much, so that waiting helps, else
 * {@code UNAVAILABLE}.
 */
public final class NoEligibleWorkerException extends DynamoException {
  private static final long serialVersionUID = 1L;

  private final String requestId;
  private final int registeredRanks;
  private final EnumMap<IneligibilityReason, Integer> counts;
  private final transient List<BusyRank> busyRanks;

  NoEligibleWorkerException(
      BookingKey key,
      int registeredRanks,
      EnumMap<IneligibilityReason, Integer> counts,
      List<BusyRank> busyRanks) {
    super(
        isOverload(counts) ? ErrorType.CAPACITY_EXHAUSTED : ErrorType.UNAVAILABLE,
        (isOverload(counts) ? "all eligible workers are overloaded" : "no eligible worker")
            + ": request="
            + SafeText.of(key.requestId())
            + ", attempt="
            + key.attempt()
            + ", registered="
            + registeredRanks
            + describe(counts),
        null,
        key.attempt(),
        null);
    this.requestId = key.requestId();
    this.registeredRanks = registeredRanks;
    this.counts = new EnumMap<>(counts);
    this.busyRanks = busyRanks;
  }

  private static boolean isOverload(EnumMap<IneligibilityReason, Integer> counts) {
    return counts.containsKey(IneligibilityReason.OVERLOADED);
  }

  public String requestId() {
    return requestId;
  }

  /** Returns the ranks that the directory named; 0 means that nobody is registered. */
  public int registeredRanks() {
    return registeredRanks;
  }

  /** Returns ranks ruled out by each reason; a reason that ruled out none is absent. */
  public Map<IneligibilityReason, Integer> counts() {
    return Collections.unmodifiableMap(counts);
  }

  /** Returns the loads seen of ranks that were too busy, the first sixteen of them. */
  public List<BusyRank> busyRanks() {
    return busyRanks;
  }

  /**
   * Returns after how long it makes sense to ask again, for a {@code Retry-After} header; empty
   * unless workers only carry too much.
   */
  public Optional<Duration> retryAfter() {
    return RetryHint.of(isOverload(counts));
  }

  private static String describe(EnumMap<IneligibilityReason, Integer> counts) {
    StringBuilder text = new StringBuilder();
    counts.forEach((reason, count) -> text.append(", ").append(reason).append('=').append(count));
    return text.toString();
  }
}
