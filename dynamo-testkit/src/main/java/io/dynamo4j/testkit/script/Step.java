// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.script;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import org.jspecify.annotations.Nullable;

/** One step of a {@link WorkerScript}. */
sealed interface Step {

  record Open() implements Step {}

  record Chunk(int tokens, @Nullable FinishReason finish) implements Step {}

  record Item(LLMEngineOutput item) implements Step {}

  record Answer(int atMost) implements Step {}

  record Pause(long nanos) implements Step {}

  record Complete() implements Step {}

  record Fail(Throwable error) implements Step {}
}
