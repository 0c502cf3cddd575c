// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Map;

/** Reads the library's own types. */
final class PreprocessedRoutingAdapter
    implements RoutingAdapter<PreprocessedRequest, LLMEngineOutput> {
  private static final String CONFIG_OVERRIDE = "router_config_override";

  static final PreprocessedRoutingAdapter INSTANCE = new PreprocessedRoutingAdapter();

  private PreprocessedRoutingAdapter() {}

  @Override
  public TokenSlice tokenIds(PreprocessedRequest request) {
    return request.tokenIds();
  }

  @Override
  public RoutingHints routing(PreprocessedRequest request) {
    return request.routing();
  }

  @Override
  public RouterConfigOverride configOverride(PreprocessedRequest request) {
    return request.extensions().get(CONFIG_OVERRIDE) instanceof Map<?, ?> fields
        ? RouterConfigOverride.fromMap(fields)
        : RouterConfigOverride.none();
  }

  @Override
  public PreprocessedRequest addressedTo(PreprocessedRequest request, WorkerWithDpRank rank) {
    return request.toBuilder()
        .routing(request.routing().toBuilder().pinnedWorker(rank).build())
        .build();
  }

  @Override
  public long cachedTokens(LLMEngineOutput item) {
    CompletionUsage usage = item.usage();
    return usage == null ? -1 : usage.cachedTokens();
  }

  @Override
  public int tokenCount(LLMEngineOutput item) {
    return item.tokenIds().length();
  }
}
