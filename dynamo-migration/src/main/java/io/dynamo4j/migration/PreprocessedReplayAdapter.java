// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.token.TokenSlice;
import org.jspecify.annotations.Nullable;

/** Replays Dynamo's token-level requests. */
final class PreprocessedReplayAdapter
    implements ReplayAdapter<PreprocessedRequest, LLMEngineOutput> {

  static final PreprocessedReplayAdapter INSTANCE = new PreprocessedReplayAdapter();

  private PreprocessedReplayAdapter() {}

  @Override
  public RequestProfile profile(PreprocessedRequest request) {
    return RequestProfile.builder(request.requestId(), request.tokenIds())
        .model(request.model())
        .choices(request.samplingOptions().n())
        .stopConditions(request.stopConditions())
        .replayability(replayability(request))
        .build();
  }

  private static Replayability replayability(PreprocessedRequest request) {
    if (request.routing().pinnedWorker() != null) {
      return Replayability.never("pinned to worker " + request.routing().pinnedWorker());
    }
    SamplingOptions sampling = request.samplingOptions();
    if (sampling.guidedDecoding() != null) {
      return Replayability.untilOpened("grammar state of guided decoding");
    }
    if (sampling.n() > 1) {
      return Replayability.untilOpened("several choices");
    }
    return Replayability.always();
  }

  @Override
  public PreprocessedRequest continuation(
      PreprocessedRequest request, TokenSlice allTokens, long delivered) {
    return request.toBuilder()
        .tokenIds(allTokens)
        .stopConditions(request.stopConditions().rebased(delivered))
        .build();
  }

  @Override
  public TokenSlice tokens(LLMEngineOutput item) {
    return item.tokenIds();
  }

  @Override
  public @Nullable FinishReason finishReason(LLMEngineOutput item) {
    return item.finishReason();
  }

  @Override
  public LLMEngineOutput finished(@Nullable LLMEngineOutput item, int kept, FinishReason reason) {
    if (item == null) {
      return LLMEngineOutput.last(TokenSlice.empty(), reason);
    }
    return LLMEngineOutput.last(item.tokenIds().slice(0, kept), reason).withIndex(item.index());
  }

  @Override
  public int choice(LLMEngineOutput item) {
    return item.index();
  }
}
