// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A subscriber that keeps what it got and fails on signals that must not come. */
final class RecordingClient implements Flow.Subscriber<LLMEngineOutput> {
  private final long firstRequest;
  private final List<LLMEngineOutput> items = new ArrayList<>();
  private Consumer<RecordingClient> onItem = client -> {};
  private Flow.@Nullable Subscription subscription;
  private @Nullable Throwable error;
  private boolean completed;
  private boolean cancelled;
  private boolean thrown;

  private RecordingClient(long firstRequest) {
    this.firstRequest = firstRequest;
  }

  static RecordingClient unbounded() {
    return new RecordingClient(Long.MAX_VALUE);
  }

  /** A client that asks for {@code first} items and then only when told. */
  static RecordingClient requesting(long first) {
    return new RecordingClient(first);
  }

  /** Sets what happens within every {@code onNext}. */
  RecordingClient onItem(Consumer<RecordingClient> action) {
    onItem = action;
    return this;
  }

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    if (subscription != null) {
      throw new AssertionError("subscribed twice");
    }
    subscription = newSubscription;
    if (firstRequest > 0) {
      newSubscription.request(firstRequest);
    }
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    requireOpen("onNext");
    items.add(item);
    onItem.accept(this);
  }

  @Override
  public void onError(Throwable failure) {
    requireOpen("onError");
    error = failure;
  }

  @Override
  public void onComplete() {
    requireOpen("onComplete");
    completed = true;
  }

  private void requireOpen(String signal) {
    if (subscription == null || completed || error != null || cancelled || thrown) {
      throw new AssertionError(signal + " on a stream that is not open: " + this);
    }
  }

  void request(long n) {
    Objects.requireNonNull(subscription).request(n);
  }

  void cancel() {
    cancelled = true;
    Objects.requireNonNull(subscription).cancel();
  }

  /** Breaks the rule that subscribers do not throw. */
  void throwPlanted() {
    thrown = true;
    throw new PlantedException();
  }

  boolean isCancelled() {
    return cancelled;
  }

  boolean hasThrown() {
    return thrown;
  }

  boolean isSubscribed() {
    return subscription != null;
  }

  boolean isCompleted() {
    return completed;
  }

  boolean isEnded() {
    return completed || error != null;
  }

  List<LLMEngineOutput> items() {
    return items;
  }

  int[] tokens() {
    return items.stream()
        .map(LLMEngineOutput::tokenIds)
        .map(TokenSlice::toArray)
        .flatMapToInt(Arrays::stream)
        .toArray();
  }

  List<FinishReason> finishReasons() {
    return items.stream().map(LLMEngineOutput::finishReason).filter(Objects::nonNull).toList();
  }

  @Nullable Throwable error() {
    return error;
  }

  /** Returns the error, which must be of the migrator. */
  MigrationException failure() {
    if (error instanceof MigrationException failure) {
      return failure;
    }
    throw new AssertionError("no migration failure: " + this, error);
  }

  /** Returns the type of the error that the migrator's failure stems from. */
  ErrorType causeType() {
    if (failure().getCause() instanceof DynamoException cause) {
      return cause.errorType();
    }
    throw new AssertionError("failure has no typed cause", error);
  }

  @Override
  public String toString() {
    return "RecordingClient[items="
        + items.size()
        + ", completed="
        + completed
        + ", cancelled="
        + cancelled
        + ", error="
        + error
        + "]";
  }

  /** What a misbehaving subscriber throws. */
  static final class PlantedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PlantedException() {
      super("planted", null, false, false);
    }
  }
}
