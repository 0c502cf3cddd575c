// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;

/**
 * Predicts how long a rank computes a prompt, so that the load of a prompt in work decays instead
 * of falling at its first token.
 *
 * <p><b>Threads.</b> Called under the router's lock: it must be quick and must not call back.
 */
@FunctionalInterface
public interface PrefillLoadModel {

  /** Predicts nothing: prompts count in full until their first token. */
  PrefillLoadModel NONE = (worker, promptTokens, uncachedTokens) -> -1;

  /**
   * Predicts the time from the start of the computation to the first token.
   *
   * @param uncachedTokens tokens of the prompt that the rank has to compute
   * @return nanoseconds, negative if unknown
   */
  long expectedPrefillNanos(WorkerWithDpRank worker, int promptTokens, long uncachedTokens);
}
