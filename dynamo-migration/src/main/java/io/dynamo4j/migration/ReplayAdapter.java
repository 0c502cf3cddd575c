// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.token.TokenSlice;
import org.jspecify.annotations.Nullable;

/**
 * Shows a migrator the tokens in a host's own types, and how to ask for the rest of an answer.
 *
 * <p><b>Threads.</b> Stateless, called from any number of threads at once. Neither requests nor
 * items are modified. Cost: {@link #tokens} and {@link #finishReason} are called for every item. An
 * exception ends the request with {@code INTERNAL}.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public interface ReplayAdapter<Q, R> {

  /** Returns the adapter for Dynamo's own token-level types. */
  static ReplayAdapter<PreprocessedRequest, LLMEngineOutput> preprocessed() {
    return PreprocessedReplayAdapter.INSTANCE;
  }

  /** Returns the adapter for plain token requests. */
  static ReplayAdapter<TokenRequest, TokenChunk> plain() {
    return PlainReplayAdapter.INSTANCE;
  }

  /** Describes a request; called once for each. */
  RequestProfile profile(Q request);

  /**
   * Makes the request that continues an answer: same id and options, longer prompt, smaller
   * budgets.
   *
   * @param request the original, also for the second and later continuations
   * @param allTokens original prompt and every delivered token
   * @param delivered how many of {@code allTokens} were delivered; budgets shrink by as much, never
   *     below 0, and unset ones stay unset
   */
  Q continuation(Q request, TokenSlice allTokens, long delivered);

  /** Returns an item's tokens, empty for an item without any (usage, annotation). */
  TokenSlice tokens(R item);

  /** Returns why the item's answer ends with it, or null while it goes on. */
  @Nullable FinishReason finishReason(R item);

  /**
   * Makes an item that ends an answer here rather than in the worker.
   *
   * @param item what to cut, or null to end without tokens
   * @param kept how many leading tokens of {@code item} stay
   */
  R finished(@Nullable R item, int kept, FinishReason reason);

  /**
   * Returns an item of a continuation as an unbroken answer would have brought it: whatever counts
   * from the beginning of the answer, such as usage and sums, counts the earlier attempts too.
   * Called for every item of an attempt that began with delivered tokens.
   *
   * @param item the item as the worker sent it
   * @param replayed how many tokens of the attempt's prompt are answer
   * @param earlier the last item with tokens that earlier attempts delivered
   */
  default R continued(R item, long replayed, R earlier) {
    return item;
  }

  /** Returns which of several answers an item belongs to, from 0. */
  default int choice(R item) {
    return 0;
  }
}
