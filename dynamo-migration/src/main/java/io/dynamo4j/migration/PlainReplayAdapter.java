// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.token.TokenSlice;
import org.jspecify.annotations.Nullable;

/** Replays plain token requests. */
final class PlainReplayAdapter implements ReplayAdapter<TokenRequest, TokenChunk> {

  static final PlainReplayAdapter INSTANCE = new PlainReplayAdapter();

  private PlainReplayAdapter() {}

  @Override
  public RequestProfile profile(TokenRequest request) {
    return RequestProfile.builder(request.requestId(), request.tokens())
        .model(request.model())
        .stopConditions(request.stopConditions())
        .build();
  }

  @Override
  public TokenRequest continuation(TokenRequest request, TokenSlice allTokens, long delivered) {
    return request
        .withTokens(allTokens)
        .withStopConditions(request.stopConditions().rebased(delivered));
  }

  @Override
  public TokenSlice tokens(TokenChunk item) {
    return item.tokens();
  }

  @Override
  public @Nullable FinishReason finishReason(TokenChunk item) {
    return item.finishReason();
  }

  @Override
  public TokenChunk finished(@Nullable TokenChunk item, int kept, FinishReason reason) {
    TokenSlice tokens = item == null ? TokenSlice.empty() : item.tokens().slice(0, kept);
    return TokenChunk.last(tokens, reason);
  }
}
