// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells a host's listener, if there is one, what happens to requests; costs nothing if there is
 * none.
 *
 * <p><b>Threads.</b> Any, without the router's lock.
 */
final class RoutingReports {
  private final @Nullable RoutingListener listener;
  private final NanoClock clock;
  private final Logger log;
  private final AtomicBoolean hasFailed = new AtomicBoolean();
  private final RouterRefusals refusals = new RouterRefusals();

  RoutingReports(@Nullable RoutingListener listener, NanoClock clock, Logger log) {
    this.log = log;
    this.listener = listener;
    this.clock = clock;
  }

  /** Returns the time, 0 if nobody wants to know. */
  long nanoTime() {
    return listener == null ? 0 : clock.nanoTime();
  }

  /**
   * Tells of a booking.
   *
   * @param startNanos when the lookup began
   * @param lookedUpNanos when it ended
   */
  void booked(RequestLease lease, Prompt prompt, long startNanos, long lookedUpNanos) {
    if (listener == null) {
      return;
    }
    long now = clock.nanoTime();
    report(
        new RoutingEvent.Booked(
            lease.worker(),
            lease.promptTokens(),
            lease.selection().cachedTokens(),
            lease.selection().effectiveOverlapBlocks(),
            prompt.overlap() == null ? 0 : best(prompt.overlap().device()),
            now - lookedUpNanos,
            now - startNanos,
            prompt.times().blockHashNanos(),
            prompt.times().sequenceHashNanos(),
            prompt.times().lookupNanos()));
  }

  private static int best(OverlapScores scores) {
    int best = 0;
    for (int i = 0; i < scores.size(); i++) {
      best = Math.max(best, scores.depth(i));
    }
    return best;
  }

  void ended(RequestLease lease) {
    if (listener == null) {
      return;
    }
    boolean hasTokens = lease.firstTokenNanos() >= 0;
    report(
        new RoutingEvent.Ended(
            lease.worker(),
            lease.promptTokens(),
            lease.outputTokens(),
            lease.firstTokenNanos(),
            hasTokens ? lease.lastTokenNanos() : -1));
  }

  RouterRefusals refusals() {
    return refusals;
  }

  /** Counts a failure, which is returned. */
  RuntimeException refused(RuntimeException failure) {
    refusals.add(failure);
    return failure;
  }

  /** Counts and tells if the queue refuses; the stage stays as it is. */
  CompletionStage<RequestLease> watched(CompletionStage<RequestLease> stage) {
    stage.whenComplete(
        (lease, failure) -> {
          Throwable cause = failure == null ? null : StageFailures.cause(failure);
          if (cause != null && !(cause instanceof CancellationException)) {
            refusals.add(cause);
          }
          if (cause instanceof QueueRejectedException rejected && listener != null) {
            report(new RoutingEvent.Rejected(rejected.policyClass(), rejected.limitKind()));
          }
        });
    return stage;
  }

  private void report(RoutingEvent event) {
    RoutingListener told = listener;
    if (told == null) {
      return;
    }
    try {
      told.onEvent(event);
    } catch (Throwable failure) {
      if (hasFailed.compareAndSet(false, true)) {
        log.warn(
            "routing listener failed, further failures are not logged: event={}", event, failure);
      }
    }
  }
}
