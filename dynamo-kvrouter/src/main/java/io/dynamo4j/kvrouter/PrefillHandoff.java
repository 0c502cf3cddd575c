// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;

/**
 * How a host's own request types say what a prefill worker computes and hands over.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public interface PrefillHandoff<Q, R> {

  /** Returns the handoff of this library's own types: Dynamo's {@code prefill_result}. */
  static PrefillHandoff<PreprocessedRequest, LLMEngineOutput> preprocessed() {
    return PreprocessedHandoff.INSTANCE;
  }

  /** Returns the request as a prefill worker gets it: the prompt and one token. */
  Q toPrefill(Q request);

  /**
   * Returns the caller's wishes of the prefill pool.
   *
   * @param routing wishes of the decode pool
   */
  default RoutingHints prefillRouting(Q request, RoutingHints routing) {
    return DisaggregatedRouter.prefillRouting(routing);
  }

  /** Returns whether the prefill worker's last item ends the answer: nothing is left to decode. */
  boolean isWhole(R last);

  /**
   * Returns the request as a decode worker gets it.
   *
   * @param last the prefill worker's last item
   */
  Q toDecode(Q request, R last);
}
