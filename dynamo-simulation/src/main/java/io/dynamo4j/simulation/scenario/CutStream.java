// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.testkit.search.FaultSpec;
import java.util.concurrent.Flow;

/** Passes a stream on until its fault: then it breaks, ends too early, or falls silent. */
final class CutStream implements Flow.Subscriber<LLMEngineOutput>, Flow.Subscription {
  private final Flow.Subscriber<? super LLMEngineOutput> downstream;
  private final Ledger ledger;
  private final AttemptEntry attempt;
  private final FaultSpec fault;
  private final int cutAt;
  private Flow.Subscription upstream = NoSubscription.INSTANCE;
  private int tokens;
  private boolean cut;

  CutStream(
      Flow.Subscriber<? super LLMEngineOutput> downstream,
      Ledger ledger,
      AttemptEntry attempt,
      FaultSpec fault) {
    this.downstream = downstream;
    this.ledger = ledger;
    this.attempt = attempt;
    this.fault = fault;
    this.cutAt = FaultBook.tokensOf(fault);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    upstream = subscription;
    downstream.onSubscribe(this);
  }

  @Override
  public void request(long items) {
    upstream.request(items);
  }

  @Override
  public void cancel() {
    upstream.cancel();
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    if (cut) {
      return;
    }
    if (tokens < cutAt) {
      tokens += item.tokenIds().length();
      downstream.onNext(item);
      return;
    }
    cut = true;
    attempt.faulted();
    String position = tokens == 0 ? "the first token" : "a later token";
    switch (fault.kind()) {
      case FaultKinds.BREAK -> {
        ledger.sometimes("broken at " + position);
        upstream.cancel();
        downstream.onError(FaultErrors.breakage(fault.parameter()));
      }
      case FaultKinds.TRUNCATE -> {
        ledger.sometimes("truncated at " + position);
        upstream.cancel();
        downstream.onComplete();
      }
      default -> {
        ledger.sometimes("silent at " + position);
        attempt.heldBack(item);
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    if (!cut) {
      downstream.onError(failure);
    }
  }

  @Override
  public void onComplete() {
    if (!cut) {
      downstream.onComplete();
    }
  }
}
