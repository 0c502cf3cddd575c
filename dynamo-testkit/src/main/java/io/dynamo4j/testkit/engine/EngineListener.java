// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.model.FinishReason;

/**
 * What a harness wants to know about requests inside an engine; every method does nothing by
 * default.
 *
 * <p><b>Threads.</b> Called on the engine's lane or from its step starter; times are of the lane's
 * clock.
 */
public interface EngineListener {

  /**
   * A request left the queue for the first time.
   *
   * @param cachedTokens leading prompt tokens that the cache held, a multiple of the block size
   */
  default void admitted(String requestId, int cachedTokens, int promptTokens, long nanos) {}

  /** The request's first token was sent. */
  default void firstToken(String requestId, long nanos) {}

  /**
   * A running request lost its blocks to an older one and waits again.
   *
   * @param generatedTokens tokens it has sent so far
   */
  default void preempted(String requestId, int generatedTokens, long nanos) {}

  /**
   * A preempted request runs again.
   *
   * @param contextTokens prompt and generated tokens, all of which must be in cache or recomputed
   */
  default void resumed(String requestId, int cachedTokens, int contextTokens, long nanos) {}

  /**
   * A request is over, its blocks are released.
   *
   * @param reason {@code CANCELLED} where its caller went away, {@code ERROR} where the engine shut
   *     down
   */
  default void finished(String requestId, FinishReason reason, int generatedTokens, long nanos) {}
}
