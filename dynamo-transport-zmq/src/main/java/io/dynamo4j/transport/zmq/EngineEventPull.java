// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.concurrent.CompletionStage;

/**
 * Asks an engine for its events, for engines that publish none: TensorRT-LLM's {@code
 * get_kv_cache_events}, or {@code POST /kv_cache_events} of its server.
 */
@FunctionalInterface
public interface EngineEventPull {

  /**
   * Asks for what has happened since the last call; never waits. Not called again before the stage
   * has completed.
   *
   * @return the engine's answer: a JSON array of its event dictionaries, or one of them; an empty
   *     array if nothing has happened
   */
  CompletionStage<byte[]> pull();
}
