// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Makes each attempt's tokens text before they reach the migrator. A detokenizer begins with the
 * attempt's whole prompt, so one that continues an answer goes on where the last one was.
 *
 * @param <Q> request type
 * @param <R> the worker's item type
 */
public final class DetokenizingDispatcher<Q, R> implements RequestDispatcher<Q, TextItem<R>> {
  private final RequestDispatcher<Q, R> dispatcher;
  private final ReplayAdapter<Q, R> adapter;
  private final IncrementalDetokenizer.Factory detokenizers;

  private DetokenizingDispatcher(
      RequestDispatcher<Q, R> dispatcher,
      ReplayAdapter<Q, R> adapter,
      IncrementalDetokenizer.Factory detokenizers) {
    this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    this.adapter = Objects.requireNonNull(adapter, "adapter");
    this.detokenizers = Objects.requireNonNull(detokenizers, "detokenizers");
  }

  /**
   * Returns a dispatcher over another.
   *
   * @param adapter shows the tokens of requests and items
   */
  public static <Q, R> DetokenizingDispatcher<Q, R> of(
      RequestDispatcher<Q, R> dispatcher,
      ReplayAdapter<Q, R> adapter,
      IncrementalDetokenizer.Factory detokenizers) {
    return new DetokenizingDispatcher<>(dispatcher, adapter, detokenizers);
  }

  @Override
  public ResponseStream<TextItem<R>> dispatch(Q request, Attempt attempt) {
    ResponseStream<R> stream = dispatcher.dispatch(request, attempt);
    TokenSlice context = adapter.profile(request).tokens();
    return subscriber -> stream.subscribe(new Detokenizing(context, subscriber));
  }

  /**
   * Adds the text to each item; everything else passes. A detokenizer that throws fails the
   * attempt.
   */
  private final class Detokenizing implements Flow.Subscriber<R> {
    private final TokenSlice context;
    private final Flow.Subscriber<? super TextItem<R>> target;
    private final Map<Integer, IncrementalDetokenizer> byChoice = new TreeMap<>();
    private Flow.@Nullable Subscription upstream;
    private boolean failed;

    Detokenizing(TokenSlice context, Flow.Subscriber<? super TextItem<R>> target) {
      this.context = context;
      this.target = target;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      upstream = subscription;
      target.onSubscribe(subscription);
    }

    @Override
    public void onNext(R item) {
      if (failed) {
        return;
      }
      TextItem<R> made;
      try {
        made = withText(item);
      } catch (Throwable hostFailure) {
        failed = true;
        if (upstream != null) {
          upstream.cancel();
        }
        target.onError(hostFailure);
        return;
      }
      target.onNext(made);
    }

    private TextItem<R> withText(R item) {
      IncrementalDetokenizer detokenizer =
          byChoice.computeIfAbsent(adapter.choice(item), choice -> detokenizers.create(context));
      return TextItem.of(item, adapter.tokens(item), detokenizer);
    }

    @Override
    public void onError(Throwable failure) {
      if (!failed) {
        target.onError(failure);
      }
    }

    @Override
    public void onComplete() {
      if (!failed) {
        target.onComplete();
      }
    }
  }
}
