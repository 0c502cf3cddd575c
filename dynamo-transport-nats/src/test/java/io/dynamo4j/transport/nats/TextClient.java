// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A subscriber that asks for a number of items and remembers what comes. */
final class TextClient implements Flow.Subscriber<String> {
  private static final long PATIENCE_SECONDS = 60;

  private final CopyOnWriteArrayList<String> items = new CopyOnWriteArrayList<>();
  private final CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
  private final long demand;

  TextClient(long demand) {
    this.demand = demand;
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

  List<String> items() {
    return items;
  }

  void request(long n) throws Exception {
    subscription.get(PATIENCE_SECONDS, TimeUnit.SECONDS).request(n);
  }

  @Nullable Throwable awaitEnd() throws Exception {
    return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  ErrorType awaitErrorType() throws Exception {
    Throwable error = awaitEnd();
    if (error instanceof DynamoException failure) {
      return failure.errorType();
    }
    throw new AssertionError("no typed error", error);
  }
}
