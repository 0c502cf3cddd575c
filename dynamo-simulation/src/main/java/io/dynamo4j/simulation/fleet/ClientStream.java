// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.simulation.oracle.TokenChecker;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A client that takes everything as it comes and checks each token. */
final class ClientStream implements Flow.Subscriber<LLMEngineOutput> {
  private final int row;
  private final TokenChecker checker;
  private final RequestLog log;
  private final NanoClock clock;
  private final TokenSums sums;
  private final Runnable ended;
  private @Nullable FinishReason finishReason;

  ClientStream(
      int row,
      TokenChecker checker,
      RequestLog log,
      NanoClock clock,
      TokenSums sums,
      Runnable ended) {
    this.row = row;
    this.checker = checker;
    this.log = log;
    this.clock = clock;
    this.sums = sums;
    this.ended = ended;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    checker.delivered(item.tokenIds());
    if (item.finishReason() != null) {
      finishReason = item.finishReason();
    }
    log.delivered(row, item.tokenIds().length(), clock.nanoTime());
  }

  @Override
  public void onError(Throwable failure) {
    checker.failed();
    end(false);
  }

  @Override
  public void onComplete() {
    checker.completed(finishReason);
    end(checker.isComplete());
  }

  private void end(boolean completed) {
    log.completed(row, completed);
    sums.add(checker);
    ended.run();
  }
}
