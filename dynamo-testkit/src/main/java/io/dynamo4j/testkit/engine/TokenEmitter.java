// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.token.TokenSlice;
import org.jspecify.annotations.Nullable;

/**
 * Generates a request's tokens and sends them in frames.
 *
 * <p>A frame is a view of the request's last block, so that a token costs no array; a frame
 * therefore never spans two blocks.
 */
final class TokenEmitter {
  private final MockEngineConfig config;

  TokenEmitter(MockEngineConfig config) {
    this.config = config;
  }

  /** Generates one token, sends what is due, and returns why the answer is over, or null. */
  @Nullable FinishReason emit(EngineRequest request) {
    int token = TokenFunction.next(request.tokenState);
    request.tokenState = TokenFunction.take(request.tokenState, token);
    request.partialBlock[request.partialTokens++] = token;
    request.generatedTokens++;
    FinishReason reason = finishReason(request, token);
    send(request, reason);
    if (request.partialTokens == config.blockSize()) {
      closeBlock(request);
    }
    return reason;
  }

  private @Nullable FinishReason finishReason(EngineRequest request, int token) {
    if (request.generatedTokens >= request.minTokens) {
      int eosInterval = config.eosInterval();
      if (eosInterval > 0
          && !request.ignoreEos
          && TokenFunction.endsAt(request.tokenState, eosInterval)) {
        return FinishReason.EOS;
      }
      for (int stopToken : request.stopTokens) {
        if (stopToken == token) {
          return FinishReason.STOP;
        }
      }
    }
    return request.generatedTokens >= request.maxTokens ? FinishReason.LENGTH : null;
  }

  private void send(EngineRequest request, @Nullable FinishReason reason) {
    int unsent = request.partialTokens - request.unsentFrom;
    if (reason == null
        && unsent < config.tokensPerFrame()
        && request.partialTokens < config.blockSize()) {
      return;
    }
    TokenSlice tokens = TokenSlice.wrap(request.partialBlock, request.unsentFrom, unsent);
    request.unsentFrom = request.partialTokens;
    if (reason == null) {
      next(request, LLMEngineOutput.of(tokens));
      int interval = config.emptyFrameInterval();
      if (interval > 0 && request.generatedTokens % interval == 0) {
        next(request, LLMEngineOutput.of(TokenSlice.empty()));
      }
      return;
    }
    if (config.finishAlone()) {
      next(request, LLMEngineOutput.of(tokens));
      tokens = TokenSlice.empty();
    }
    next(request, LLMEngineOutput.last(tokens, reason));
    request.sink.complete();
  }

  /** A frame that nobody sees means that the caller is gone. */
  private static void next(EngineRequest request, LLMEngineOutput frame) {
    request.isAbandoned |= !request.sink.next(frame);
  }

  private void closeBlock(EngineRequest request) {
    request.addBlock(request.partialBlock, 0);
    request.partialBlock = new int[config.blockSize()];
    request.partialTokens = 0;
    request.unsentFrom = 0;
  }
}
