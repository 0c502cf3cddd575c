// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.LLMEngineOutput;
import java.util.concurrent.Flow;

/** Passes everything on, both ways; what a planted bug overrides goes wrong. */
class Relay implements Flow.Subscriber<LLMEngineOutput>, Flow.Subscription {
  private final Flow.Subscriber<? super LLMEngineOutput> downstream;
  private Flow.Subscription upstream = NoSubscription.INSTANCE;

  Relay(Flow.Subscriber<? super LLMEngineOutput> downstream) {
    this.downstream = downstream;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    upstream = subscription;
    downstream.onSubscribe(this);
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    downstream.onNext(item);
  }

  @Override
  public void onError(Throwable failure) {
    downstream.onError(failure);
  }

  @Override
  public void onComplete() {
    downstream.onComplete();
  }

  @Override
  public void request(long items) {
    upstream.request(items);
  }

  @Override
  public void cancel() {
    upstream.cancel();
  }
}
