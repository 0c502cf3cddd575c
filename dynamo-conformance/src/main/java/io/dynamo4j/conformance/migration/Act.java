// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One step of a recorded worker's script. */
sealed interface Act {

  /** One chunk of generated tokens, perhaps none, perhaps the last. */
  record Generate(int count, @Nullable FinishReason finish) implements Act {}

  /** One chunk as it stands. */
  record Chunk(
      List<Integer> tokens,
      int choice,
      @Nullable FinishReason finish,
      @Nullable CompletionUsage usage)
      implements Act {}

  /** Tokens up to the request's budget, then a finish by length. */
  record UpTo(int atMost) implements Act {}

  record Sleep(long nanos) implements Act {}

  /** Waits until told to stop, however long. */
  record Hang() implements Act {}

  /** Waits until told to stop, but not for ever. */
  record WaitStop(long nanos) implements Act {}

  /** The worker's process stands still. */
  record Freeze() implements Act {}

  /** The worker's process dies. */
  record Exit() implements Act {}

  /** The worker leaves discovery and goes on with what it has. */
  record Leave() implements Act {}

  /** The worker raises, under the name of a class. */
  record Fail(ErrorType type, String raised) implements Act {}

  /** The worker's generator returns. */
  record End() implements Act {}
}
