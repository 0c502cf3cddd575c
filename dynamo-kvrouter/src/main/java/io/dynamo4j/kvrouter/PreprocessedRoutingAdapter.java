// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.token.TokenSlice;

/** Reads the library's own types. */
final class PreprocessedRoutingAdapter
    implements RoutingAdapter<PreprocessedRequest, LLMEngineOutput> {
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
  public int tokenCount(LLMEngineOutput item) {
    return item.tokenIds().length();
  }
}
