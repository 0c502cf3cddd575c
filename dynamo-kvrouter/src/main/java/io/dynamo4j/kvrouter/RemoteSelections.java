// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import java.util.Set;
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
@OrderIrrelevant("stages are looked up by key, or all failed, each by itself")
final class RemoteSelections {
  private final ConcurrentHashMap<BookingKey, CompletableFuture<RequestLease>> waiting =
      new ConcurrentHashMap<>();

  /** Everybody, those among them whose key another one has. */
  private final Set<Asked> unresolved = ConcurrentHashMap.newKeySet();

  private volatile boolean abandoned;

  /** One request, the same as itself alone. */
  private static final class Asked {
    final CompletableFuture<RequestLease> lease;

    Asked(CompletableFuture<RequestLease> lease) {
      this.lease = lease;
    }
  }

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
    Asked asked = new Asked(lease);
    unresolved.add(asked);
    CompletableFuture<RequestLease> unused =
        lease.whenComplete(
            (booked, failure) -> {
              waiting.remove(key, lease);
              unresolved.remove(asked);
            });
    CompletionStage<Prompt> unusedLookup =
        lookup.whenComplete(
            (prompt, failure) -> {
              if (failure != null) {
                lease.completeExceptionally(StageFailures.cause(failure));
              } else if (!lease.isDone()) {
                choose(lease, prompt, choice);
              }
            });
    if (abandoned) {
      abandon(); // This one may have come after the others were told.
    }
    return lease;
  }

  private static void choose(
      CompletableFuture<RequestLease> lease,
      Prompt prompt,
      Function<Prompt, CompletionStage<RequestLease>> choice) {
    try {
      follow(lease, choice.apply(prompt));
    } catch (Throwable refused) {
      lease.completeExceptionally(refused);
    }
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

  /** Fails whoever waits, because no lookup will end any more. */
  void abandon() {
    abandoned = true;
    unresolved.forEach(
        asked ->
            asked.lease.completeExceptionally(
                new DynamoException(ErrorType.CLOSED, "environment of the router is closed")));
  }

  /** Returns how many requests wait. */
  int count() {
    return waiting.size();
  }
}
