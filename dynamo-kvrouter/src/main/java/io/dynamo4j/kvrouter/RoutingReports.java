// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a host's listener, if there is one, what happens to requests; costs nothing if there is
 * none.
 *
 * <p><b>Threads.</b> Any, without the router's lock.
 */
final class RoutingReports {
  private static final Logger LOG = LoggerFactory.getLogger(KvRouter.class);

  private final @Nullable RoutingListener listener;
  private final NanoClock clock;

  RoutingReports(@Nullable RoutingListener listener, NanoClock clock) {
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
            now - startNanos));
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

  /** Tells if the queue refuses; the stage stays as it is. */
  CompletionStage<RequestLease> watched(CompletionStage<RequestLease> stage) {
    if (listener != null) {
      stage.whenComplete(
          (lease, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof QueueRejectedException rejected) {
              report(new RoutingEvent.Rejected(rejected.policyClass(), rejected.limitKind()));
            }
          });
    }
    return stage;
  }

  private void report(RoutingEvent event) {
    RoutingListener told = listener;
    if (told == null) {
      return;
    }
    try {
      told.onEvent(event);
    } catch (RuntimeException failure) {
      LOG.warn("routing listener failed: event={}", event, failure);
    }
  }
}
