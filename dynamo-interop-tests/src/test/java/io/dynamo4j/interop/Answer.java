// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client that takes everything and remembers it. */
final class Answer implements Flow.Subscriber<LLMEngineOutput> {
  private static final long PATIENCE_SECONDS = 60;

  private final List<LLMEngineOutput> items = new CopyOnWriteArrayList<>();
  private final CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
  private final CompletableFuture<Void> started = new CompletableFuture<>();
  private final int demand;
  private volatile Flow.@Nullable Subscription subscription;

  private Answer(int demand) {
    this.demand = demand;
  }

  static Answer of(Flow.Publisher<LLMEngineOutput> stream) {
    return asking(stream, Integer.MAX_VALUE);
  }

  /** Asks for this many items only, as a client that stops reading. */
  static Answer asking(Flow.Publisher<LLMEngineOutput> stream, int demand) {
    Answer answer = new Answer(demand);
    stream.subscribe(answer);
    return answer;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(demand);
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    items.add(item);
    started.complete(null);
  }

  @Override
  public void onError(Throwable error) {
    end.complete(error);
  }

  @Override
  public void onComplete() {
    end.complete(null);
  }

  void cancel() {
    Objects.requireNonNull(subscription, "subscription").cancel();
  }

  void awaitFirstItem() throws Exception {
    started.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits for the end; returns the error, or null if it is a completion. */
  @Nullable Throwable awaitEnd() throws Exception {
    return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  boolean hasEnded() {
    return end.isDone();
  }

  List<Integer> tokens() {
    List<Integer> tokens = new ArrayList<>();
    for (LLMEngineOutput item : items) {
      for (int i = 0; i < item.tokenIds().length(); i++) {
        tokens.add(item.tokenIds().get(i));
      }
    }
    return tokens;
  }

  List<FinishReason> finishReasons() {
    List<FinishReason> reasons = new ArrayList<>();
    for (LLMEngineOutput item : items) {
      FinishReason reason = item.finishReason();
      if (reason != null) {
        reasons.add(reason);
      }
    }
    return reasons;
  }
}
