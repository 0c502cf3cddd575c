// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber of texts that asks for a number of items and remembers what comes, for tests that
 * wait on real threads.
 *
 * <p><b>Threads.</b> Signals come on the stream's lane; everything else from any other thread.
 */
public final class TextClient implements Flow.Subscriber<String> {
  private final CopyOnWriteArrayList<String> items = new CopyOnWriteArrayList<>();
  private final CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
  private final long demand;

  private TextClient(long demand) {
    this.demand = demand;
  }

  /** Returns a client that asks for so many items as soon as it is subscribed. */
  public static TextClient asking(long demand) {
    return new TextClient(demand);
  }

  /** Returns a client that takes all that comes. */
  public static TextClient unbounded() {
    return asking(Long.MAX_VALUE);
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    given.request(demand);
    subscription.complete(given);
  }

  @Override
  public void onNext(String item) {
    items.add(item);
  }

  @Override
  public void onError(Throwable error) {
    end.complete(error);
  }

  @Override
  public void onComplete() {
    end.complete(null);
  }

  /** Returns what has come so far; a view. */
  public List<String> items() {
    return Collections.unmodifiableList(items);
  }

  /** Asks for {@code n} further items, once subscribed. */
  public void request(long n) {
    awaited(subscription).request(n);
  }

  /** Waits for the end and returns the error, null if the stream was completed. */
  public @Nullable Throwable awaitEnd() {
    return awaited(end);
  }

  /**
   * Waits for the end and returns the type of the error.
   *
   * @throws AssertionError if it is not a {@link DynamoException}
   */
  public ErrorType awaitErrorType() {
    Throwable error = awaitEnd();
    if (error instanceof DynamoException failure) {
      return failure.errorType();
    }
    throw new AssertionError("no typed error", error);
  }

  private static <T extends @Nullable Object> T awaited(CompletableFuture<T> stage) {
    CompletionStage<T> waitedFor = stage;
    RealLanes.await(waitedFor, RealLanes.PATIENCE_MILLIS);
    return stage.join();
  }
}
