// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.FinishReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A subscriber that keeps what it got and fails on signals that must not come. */
final class TextClient<R> implements Flow.Subscriber<TextOutput<R>> {
  final List<TextOutput<R>> outputs = new ArrayList<>();
  private final long first;
  private Consumer<TextClient<R>> onOutput = client -> {};
  Flow.@Nullable Subscription subscription;
  @Nullable Throwable error;
  boolean completed;

  private TextClient(long first) {
    this.first = first;
  }

  static <R> TextClient<R> unbounded() {
    return new TextClient<>(Long.MAX_VALUE);
  }

  static <R> TextClient<R> requesting(long first) {
    return new TextClient<>(first);
  }

  TextClient<R> onOutput(Consumer<TextClient<R>> action) {
    onOutput = action;
    return this;
  }

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    subscription = newSubscription;
    if (first > 0) {
      newSubscription.request(first);
    }
  }

  @Override
  public void onNext(TextOutput<R> output) {
    requireOpen();
    outputs.add(output);
    onOutput.accept(this);
  }

  @Override
  public void onError(Throwable failure) {
    requireOpen();
    error = failure;
  }

  @Override
  public void onComplete() {
    requireOpen();
    completed = true;
  }

  private void requireOpen() {
    if (completed || error != null) {
      throw new AssertionError("signal after the end");
    }
  }

  String text() {
    return text(0);
  }

  String text(int choice) {
    StringBuilder text = new StringBuilder();
    outputs.stream().filter(each -> each.index() == choice).forEach(o -> text.append(o.text()));
    return text.toString();
  }

  List<FinishReason> finishReasons() {
    List<FinishReason> reasons = new ArrayList<>();
    for (TextOutput<R> output : outputs) {
      if (output.finishReason() != null) {
        reasons.add(output.finishReason());
      }
    }
    return reasons;
  }
}
