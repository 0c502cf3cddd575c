// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.OrderIrrelevant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Requests that wait for an index elsewhere before anything can be chosen for them. Whoever is
 * given up meanwhile books nothing, and frees at once what was booked too late.
 *
 * <p><b>Threads.</b> Any.
 */
@OrderIrrelevant("stages are only looked up by key")
final class RemoteSelections {
  private final ConcurrentHashMap<BookingKey, CompletableFuture<RequestLease>> waiting =
      new ConcurrentHashMap<>();

  /**
   * Chooses once a lookup has ended.
   *
   * @param choice is not asked if the request was given up
   */
  CompletionStage<RequestLease> select(
      BookingKey key,
      CompletionStage<Prompt> lookup,
      Function<Prompt, CompletionStage<RequestLease>> choice) {
    CompletableFuture<RequestLease> lease = new CompletableFuture<>();
    waiting.putIfAbsent(key, lease);
    CompletableFuture<RequestLease> unused =
        lease.whenComplete((booked, failure) -> waiting.remove(key, lease));
    CompletionStage<Prompt> unusedLookup =
        lookup.whenComplete(
            (prompt, failure) -> {
              if (failure != null) {
                lease.completeExceptionally(StageFailures.cause(failure));
              } else if (!lease.isDone()) {
                follow(lease, choice.apply(prompt));
              }
            });
    return lease;
  }

  private static void follow(
      CompletableFuture<RequestLease> lease, CompletionStage<RequestLease> chosen) {
    CompletionStage<RequestLease> unusedChoice =
        chosen.whenComplete(
            (booked, refused) -> {
              if (refused != null) {
                lease.completeExceptionally(StageFailures.cause(refused));
              } else if (!lease.complete(booked)) {
                booked.close();
              }
            });
    CompletableFuture<RequestLease> unused =
        lease.whenComplete(
            (booked, failure) -> {
              if (lease.isCancelled()) {
                chosen.toCompletableFuture().cancel(false);
              }
            });
  }

  /** Gives a request up whose lookup has not ended; does nothing if there is none. */
  void cancel(BookingKey key) {
    CompletableFuture<RequestLease> lease = waiting.get(key);
    if (lease != null) {
      lease.cancel(false);
    }
  }

  /** Returns how many requests wait. */
  int count() {
    return waiting.size();
  }
}
