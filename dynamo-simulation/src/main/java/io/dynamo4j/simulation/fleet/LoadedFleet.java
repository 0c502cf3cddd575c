// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.ResponseStream;

/** A fleet as those see it who load it and kill its workers. */
interface LoadedFleet {

  /** Returns the answer to one request. */
  ResponseStream<LLMEngineOutput> answer(PreprocessedRequest request);

  /** Kills a worker that has an open stream, drawn from {@code victims}, and reports it. */
  void kill(RandomSource victims, KillReport report);

  /** Begins another life of the worker at a position. */
  void start(int position);

  /** Told when every request has arrived and none is open. */
  void isQuiet();
}
