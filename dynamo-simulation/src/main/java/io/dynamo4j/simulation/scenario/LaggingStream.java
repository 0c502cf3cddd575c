// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.concurrent.Flow;

/** Passes a stream on, everything equally late; a cancel does not stop what is on its way. */
final class LaggingStream implements Flow.Subscriber<LLMEngineOutput> {
  private final Flow.Subscriber<? super LLMEngineOutput> downstream;
  private final Scheduler lane;
  private final Scheduler network;
  private final long lagNanos;

  /**
   * Delays a stream.
   *
   * @param lane where signals must come from
   * @param network where they wait
   */
  LaggingStream(
      Flow.Subscriber<? super LLMEngineOutput> downstream,
      Scheduler lane,
      Scheduler network,
      long lagNanos) {
    this.downstream = downstream;
    this.lane = lane;
    this.network = network;
    this.lagNanos = lagNanos;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    downstream.onSubscribe(subscription);
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    later(() -> downstream.onNext(item));
  }

  @Override
  public void onError(Throwable failure) {
    later(() -> downstream.onError(failure));
  }

  @Override
  public void onComplete() {
    later(downstream::onComplete);
  }

  private void later(Runnable signal) {
    network.schedule(() -> lane.execute(signal), lagNanos);
  }
}
