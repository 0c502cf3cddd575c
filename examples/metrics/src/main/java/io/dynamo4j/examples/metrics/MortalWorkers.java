// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.metrics;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ResponseSink;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Workers that count upwards from the length of their context, and die when told to. */
final class MortalWorkers implements RequestHandler<PreprocessedRequest, LLMEngineOutput> {
  private static final int TOKENS_BEFORE_DEATH = 2;

  private final Queue<Death> deaths = new ConcurrentLinkedQueue<>();

  /** How a worker leaves a request. */
  enum Death {
    /** Before its stream opened: the migration is of a new request. */
    BEFORE_OPENING,
    /** After two tokens: the migration is of an ongoing request. */
    AFTER_TWO_TOKENS
  }

  /** Lets whichever worker is asked next die so. */
  void nextDies(Death death) {
    deaths.add(death);
  }

  @Override
  public void handle(
      String requestId, PreprocessedRequest request, ResponseSink<LLMEngineOutput> answer) {
    Death death = deaths.poll();
    if (death == Death.BEFORE_OPENING) {
      answer.fail(new DynamoException(ErrorType.CANNOT_CONNECT, "worker died before it answered"));
      return;
    }
    int context = request.tokenIds().length();
    long tokens = request.stopConditions().maxTokens();
    for (int i = 0; i < tokens; i++) {
      if (death == Death.AFTER_TWO_TOKENS && i == TOKENS_BEFORE_DEATH) {
        answer.fail(new DynamoException(ErrorType.DISCONNECTED, "worker died in mid-stream"));
        return;
      }
      answer.next(LLMEngineOutput.of(TokenSlice.of(context + i)));
    }
    answer.next(LLMEngineOutput.last(TokenSlice.empty(), FinishReason.LENGTH));
    answer.complete();
  }
}
