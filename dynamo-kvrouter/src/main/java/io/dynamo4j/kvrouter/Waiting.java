// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Cancellable;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One request between its arrival and its admission; its place in the order never changes. */
final class Waiting {
  /** Strict priority, then score, then arrival. */
  static final Comparator<Waiting> ORDER =
      Comparator.comparingLong((Waiting waiting) -> -waiting.request.routing().strictPriority())
          .thenComparingDouble(waiting -> -waiting.score)
          .thenComparingLong(waiting -> waiting.sequence);

  final SchedulingRequest request;
  final long arrivedNanos;
  final CompletableFuture<RequestLease> lease = new CompletableFuture<>();
  Prompt prompt;
  long sequence;
  double score;
  long cachedTokens;
  @Nullable Cancellable timer;

  Waiting(SchedulingRequest request, Prompt prompt, long arrivedNanos) {
    this.request = request;
    this.prompt = prompt;
    this.arrivedNanos = arrivedNanos;
  }

  BookingKey key() {
    return request.key();
  }

  long promptTokens() {
    return request.tokenIds().length();
  }

  /** Returns what admitting it costs its class, in uncached tokens. */
  long cost() {
    return Math.max(1, promptTokens() - cachedTokens);
  }
}
