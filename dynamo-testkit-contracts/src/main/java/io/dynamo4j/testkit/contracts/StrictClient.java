// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A client that keeps what it gets and notes every signal that must not come. */
final class StrictClient implements Flow.Subscriber<LLMEngineOutput> {
  private final int window;
  private final int cancelsAfter;
  private final List<LLMEngineOutput> items = new ArrayList<>();
  private final List<String> breaches = new ArrayList<>();
  private Flow.@Nullable Subscription subscription;
  private @Nullable Throwable error;
  private boolean completed;
  private boolean cancelled;
  private boolean busy;
  private long requested;

  private StrictClient(int window, int cancelsAfter) {
    this.window = window;
    this.cancelsAfter = cancelsAfter;
  }

  /** A client that asks for {@code window} items at a time, 0 for all at once. */
  static StrictClient of(int window, int cancelsAfter) {
    return new StrictClient(window, cancelsAfter);
  }

  /** A client that asks for nothing until it is told to. */
  static StrictClient idle() {
    return new StrictClient(-1, MigrationCase.STAYS);
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    note(subscription == null, "subscribed twice");
    subscription = given;
    if (cancelsAfter == 0) {
      cancel();
    } else if (window >= 0) {
      request(window == 0 ? Long.MAX_VALUE : window);
    }
  }

  void request(long n) {
    requested = requested + n < 0 ? Long.MAX_VALUE : requested + n;
    busy = true;
    Objects.requireNonNull(subscription).request(n);
    busy = false;
  }

  void cancel() {
    cancelled = true;
    Objects.requireNonNull(subscription).cancel();
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    expectOpen("onNext");
    items.add(item);
    note(items.size() <= requested, "more items than asked for");
    if (items.size() == cancelsAfter) {
      cancel();
    } else if (window > 0 && items.size() == requested) {
      request(window);
    }
  }

  @Override
  public void onError(Throwable failure) {
    expectOpen("onError");
    error = failure;
  }

  @Override
  public void onComplete() {
    expectOpen("onComplete");
    completed = true;
  }

  private void expectOpen(String signal) {
    note(subscription != null, signal + " before onSubscribe");
    note(!isEnded(), signal + " after the end");
    note(!cancelled, signal + " after cancel");
    note(!busy, signal + " inside request");
  }

  private void note(boolean holds, String breach) {
    if (!holds) {
      breaches.add(breach);
    }
  }

  /** Returns what the stream did that it must not do. */
  List<String> breaches() {
    return breaches;
  }

  boolean isSubscribed() {
    return subscription != null;
  }

  boolean isCancelled() {
    return cancelled;
  }

  boolean isCompleted() {
    return completed;
  }

  boolean isEnded() {
    return completed || error != null;
  }

  @Nullable Throwable error() {
    return error;
  }

  List<LLMEngineOutput> items() {
    return items;
  }

  int[] tokens() {
    return items.stream()
        .map(item -> item.tokenIds().toArray())
        .flatMapToInt(Arrays::stream)
        .toArray();
  }

  List<FinishReason> finishReasons() {
    return items.stream().map(LLMEngineOutput::finishReason).filter(Objects::nonNull).toList();
  }
}
