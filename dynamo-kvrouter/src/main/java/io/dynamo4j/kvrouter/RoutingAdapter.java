// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;

/**
 * What routing has to know of a host's own request and response types.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public interface RoutingAdapter<Q, R> {

  /** Returns the adapter of this library's own types. */
  static RoutingAdapter<PreprocessedRequest, LLMEngineOutput> preprocessed() {
    return PreprocessedRoutingAdapter.INSTANCE;
  }

  /** Returns the tokens that the worker will see as its prompt. */
  TokenSlice tokenIds(Q request);

  RoutingHints routing(Q request);

  /**
   * Returns what the request changes in the router's configuration; by default nothing.
   *
   * @throws IllegalArgumentException if the request's own values are out of range
   */
  default RouterConfigOverride configOverride(Q request) {
    return RouterConfigOverride.none();
  }

  /**
   * Returns the request as the chosen rank gets it: a worker of several ranks has to be told which
   * is meant. Unchanged unless an adapter knows how to say it.
   */
  default Q addressedTo(Q request, WorkerWithDpRank rank) {
    return request;
  }

  /**
   * Returns how many tokens of the prompt the engine says it found in its cache, negative if the
   * item does not tell.
   */
  default long cachedTokens(R item) {
    return -1;
  }

  /** Returns how many generated tokens an item carries; 0 for one that only informs. */
  int tokenCount(R item);
}
