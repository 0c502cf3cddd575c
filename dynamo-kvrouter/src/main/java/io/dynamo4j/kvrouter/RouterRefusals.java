// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.transport.Counts;

/**
 * How often a router refused something, by why; nothing was changed by any of it.
 *
 * <p><b>Threads.</b> Any; counters never go back.
 */
public final class RouterRefusals {

  /** Why something is refused. */
  public enum Kind {
    /** Nobody is registered. */
    EMPTY_FLEET,
    /** The request names a worker or rank that nobody has registered. */
    UNKNOWN_WORKER,
    /** Somebody is registered, and all are ruled out. */
    NOBODY_ELIGIBLE,
    /** All that are not ruled out carry too much. */
    EVERYBODY_BUSY,
    /** The attempt is booked, or waits. */
    DUPLICATE_REQUEST,
    /** The queue did not take it, or gave it up. */
    QUEUE,
    /** A value is out of range, or hashes are not those of the prompt. */
    INVALID,
    /** A policy of the host broke its contract, such as by a cost that is no number. */
    BROKEN_POLICY,
    /** A lease that had been closed was closed again. */
    CLOSED_AGAIN,
    /** Anything else, such as the end of the router. */
    OTHER
  }

  private final Counts<Kind> counts = Counts.of(Kind.class);

  RouterRefusals() {}

  /** Returns how often something was refused for this reason. */
  public long count(Kind kind) {
    return counts.get(kind);
  }

  void add(Kind kind) {
    counts.add(kind);
  }

  /** Counts what a selection failed by. */
  void add(Throwable failure) {
    add(kind(failure));
  }

  private static Kind kind(Throwable failure) {
    if (failure instanceof NoEligibleWorkerException nobody) {
      return kind(nobody);
    } else if (failure instanceof QueueRejectedException) {
      return Kind.QUEUE;
    } else if (failure instanceof DynamoException typed) {
      return typed.errorType() == ErrorType.DUPLICATE_REQUEST ? Kind.DUPLICATE_REQUEST : Kind.OTHER;
    } else if (failure instanceof IllegalArgumentException) {
      return Kind.INVALID;
    }
    return failure instanceof IllegalStateException ? Kind.BROKEN_POLICY : Kind.OTHER;
  }

  private static Kind kind(NoEligibleWorkerException nobody) {
    int registered = nobody.registeredRanks();
    if (registered == 0) {
      return Kind.EMPTY_FLEET;
    } else if (nobody.counts().getOrDefault(IneligibilityReason.NOT_PINNED, 0) == registered) {
      return Kind.UNKNOWN_WORKER;
    }
    return nobody.errorType() == ErrorType.CAPACITY_EXHAUSTED
        ? Kind.EVERYBODY_BUSY
        : Kind.NOBODY_ELIGIBLE;
  }
}
