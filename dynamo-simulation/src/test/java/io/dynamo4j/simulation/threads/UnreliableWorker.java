// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.threads;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.simulation.oracle.TokenChecker;
import java.util.SplittableRandom;

/** Answers token by token on its own lane, as engines do; one attempt in three goes wrong. */
final class UnreliableWorker implements RequestHandler<PreprocessedRequest, LLMEngineOutput> {
  private static final long STEP_NANOS = 50_000;

  private final Scheduler lane;
  private final SplittableRandom random;

  UnreliableWorker(Scheduler lane, long seed) {
    this.lane = lane;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public void handle(
      String requestId, PreprocessedRequest request, ResponseSink<LLMEngineOutput> answer) {
    int length = (int) request.stopConditions().maxTokens();
    int[] tokens =
        TokenChecker.expectedTokens(
            request.samplingOptions().seed().orElseThrow(), request.tokenIds(), length);
    int failsAt = random.nextInt(3) == 0 ? random.nextInt(length + 1) : length + 1;
    if (failsAt == 0 && random.nextBoolean()) {
      answer.fail(new DynamoException(ErrorType.CANNOT_CONNECT, "refused by the test"));
    } else {
      answer.open();
      step(tokens, 0, failsAt, /* hangs= */ random.nextInt(20) == 0, answer);
    }
  }

  private void step(
      int[] tokens, int at, int failsAt, boolean hangs, ResponseSink<LLMEngineOutput> answer) {
    if (at == failsAt) {
      if (!hangs) {
        answer.fail(new DynamoException(ErrorType.DISCONNECTED, "broken by the test"));
      }
      return;
    }
    boolean last = at == tokens.length - 1;
    TokenSlice token = TokenSlice.of(tokens[at]);
    boolean wanted =
        answer.next(
            last ? LLMEngineOutput.last(token, FinishReason.LENGTH) : LLMEngineOutput.of(token));
    if (last) {
      answer.complete();
    } else if (wanted && at % 4 == 3) {
      lane.schedule(() -> step(tokens, at + 1, failsAt, hangs, answer), STEP_NANOS);
    } else if (wanted) {
      lane.execute(() -> step(tokens, at + 1, failsAt, hangs, answer));
    }
  }
}
