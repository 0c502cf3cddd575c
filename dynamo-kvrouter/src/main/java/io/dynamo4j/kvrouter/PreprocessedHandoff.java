// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import java.util.LinkedHashMap;
import java.util.Map;

/** Hands over as Dynamo's prefill workers do whose engines pull blocks. */
final class PreprocessedHandoff implements PrefillHandoff<PreprocessedRequest, LLMEngineOutput> {
  static final PreprocessedHandoff INSTANCE = new PreprocessedHandoff();

  private PreprocessedHandoff() {}

  @Override
  public PreprocessedRequest toPrefill(PreprocessedRequest request) {
    StopConditions.Builder stop = request.stopConditions().toBuilder().maxTokens(1);
    if (request.stopConditions().minTokens() > 1) {
      stop.minTokens(1);
    }
    return request.toBuilder().stopConditions(stop.build()).build();
  }

  @Override
  public boolean isWhole(LLMEngineOutput last) {
    FinishReason reason = last.finishReason();
    return reason != null && reason != FinishReason.LENGTH;
  }

  @Override
  public PreprocessedRequest toDecode(PreprocessedRequest request, LLMEngineOutput last) {
    Object params = last.disaggregatedParams();
    if (params == null) {
      return request; // Nothing was handed over: the decode worker computes the prompt.
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("disaggregated_params", params);
    CompletionUsage usage = last.usage();
    if (usage != null && usage.cachedTokens() != CompletionUsage.UNKNOWN) {
      Map<String, Object> details = new LinkedHashMap<>();
      details.put("cached_tokens", usage.cachedTokens());
      result.put("prompt_tokens_details", details);
    }
    Map<String, Object> extensions = new LinkedHashMap<>(request.extensions());
    extensions.put("prefill_result", result);
    return request.toBuilder().extensions(extensions).build();
  }
}
