// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.token.TokenSlice;
import org.jspecify.annotations.Nullable;

/** Replays Dynamo's token-level requests. */
final class PreprocessedReplayAdapter
    implements ReplayAdapter<PreprocessedRequest, LLMEngineOutput> {

  static final PreprocessedReplayAdapter INSTANCE = new PreprocessedReplayAdapter();

  /** A prompt that is no tokens, by the name that peers use. */
  private static final String EMBEDDINGS = "prompt_embeds";

  /** Declared by workers that run a grammar over the tokens of a prompt. */
  private static final String GUIDED_DECODING = "guided_decoding";

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
    RoutingHints routing = request.routing();
    if (routing.isPinned()) {
      return Replayability.never(
          "pinned to worker "
              + (routing.pinnedWorker() != null
                  ? routing.pinnedWorker()
                  : Long.toUnsignedString(routing.pinnedWorkerId().orElseThrow())));
    }
    SamplingOptions sampling = request.samplingOptions();
    if (sampling.n() > 1) {
      return Replayability.untilOpened("several choices");
    }
    if (request.extensions().get(EMBEDDINGS) != null) {
      return Replayability.untilOpened("prompt given as embeddings, which override tokens")
          .onlyWith(Correction.PROTECT_EMBEDDINGS);
    }
    if (sampling.guidedDecoding() != null) {
      return Replayability.untilOpened("grammar state of guided decoding")
          .unlessResumedBy(GUIDED_DECODING);
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
    return item.cut(kept, reason);
  }

  @Override
  public LLMEngineOutput continued(LLMEngineOutput item, long replayed, LLMEngineOutput earlier) {
    LLMEngineOutput whole = item;
    CompletionUsage usage = item.usage();
    if (usage != null) {
      whole = whole.withUsage(usage.rebased(replayed));
    }
    if (!Double.isNaN(item.cumLogProbs())) {
      // Unknown before, unknown after: NaN stays NaN.
      double sum = item.cumLogProbs() + earlier.cumLogProbs();
      whole = whole.withLogProbs(sum, item.logProbs());
    }
    return whole;
  }

  @Override
  public int choice(LLMEngineOutput item) {
    return item.index();
  }
}
