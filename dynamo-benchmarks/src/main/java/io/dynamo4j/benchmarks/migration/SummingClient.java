// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Adds up the tokens it gets, a window of items at a time. */
final class SummingClient implements Flow.Subscriber<LLMEngineOutput> {
  private final long window;
  private Flow.@Nullable Subscription subscription;
  private long left;
  private long sum;
  private int items;
  private boolean completed;

  SummingClient(long window) {
    this.window = window;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    ask(given);
  }

  private void ask(Flow.Subscription of) {
    left = window;
    of.request(window);
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    items++;
    sum = sum * 31 + item.tokenIds().get(0);
    if (--left == 0) {
      ask(Objects.requireNonNull(subscription));
    }
  }

  @Override
  public void onError(Throwable failure) {
    throw new IllegalStateException("stream failed", failure);
  }

  @Override
  public void onComplete() {
    completed = true;
  }

  int items() {
    return items;
  }

  /** Returns the sum over all tokens, in order, of a stream that has completed. */
  long completedSum() {
    if (!completed) {
      throw new IllegalStateException("stream did not complete: items=" + items);
    }
    return sum;
  }
}
