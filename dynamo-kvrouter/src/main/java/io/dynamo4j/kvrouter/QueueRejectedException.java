// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.SafeText;
import java.time.Duration;
import java.util.Optional;

/**
 * A request would have had to wait, and may not or may not any longer; says what was seen.
 *
 * <p>Of type {@code DEADLINE_EXCEEDED} if it waited too long, else {@code CAPACITY_EXHAUSTED}.
 */
public final class QueueRejectedException extends DynamoException {
  private static final long serialVersionUID = 1L;

  private final String requestId;
  private final String policyClass;
  private final Limit limitKind;
  private final long current;
  private final long limit;

  /** What stood against waiting. */
  public enum Limit {
    /** Requests that wait already. */
    REQUESTS,
    /** Prompt tokens that wait already, cached or not. */
    PROMPT_TOKENS,
    /** Cached prompt tokens that wait already. */
    CACHED_TOKENS,
    /** The request asked not to wait; the current value is the number of those that do. */
    DO_NOT_QUEUE,
    /** Nanoseconds waited, and how many it could. */
    WAIT
  }

  QueueRejectedException(
      BookingKey key, String policyClass, Limit limitKind, long current, long limit) {
    super(
        limitKind == Limit.WAIT ? ErrorType.DEADLINE_EXCEEDED : ErrorType.CAPACITY_EXHAUSTED,
        "queue rejected the request: request="
            + SafeText.of(key.requestId())
            + ", attempt="
            + key.attempt()
            + ", class="
            + policyClass
            + ", kind="
            + limitKind
            + ", current="
            + current
            + ", limit="
            + limit,
        null,
        key.attempt(),
        null);
    this.requestId = key.requestId();
    this.policyClass = policyClass;
    this.limitKind = limitKind;
    this.current = current;
    this.limit = limit;
  }

  public String requestId() {
    return requestId;
  }

  public String policyClass() {
    return policyClass;
  }

  public Limit limitKind() {
    return limitKind;
  }

  /** Returns what was counted when the request was rejected. */
  public long current() {
    return current;
  }

  /** Returns what the count would have had to stay below. */
  public long limit() {
    return limit;
  }

  /**
   * Returns after how long it makes sense to ask again, for a {@code Retry-After} header; empty for
   * a request that waited as long as it could.
   */
  public Optional<Duration> retryAfter() {
    return RetryHint.of(limitKind != Limit.WAIT);
  }
}
