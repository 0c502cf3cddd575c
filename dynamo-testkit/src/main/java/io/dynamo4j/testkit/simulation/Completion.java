// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The outcome of an awaited stage, read without waiting. */
final class Completion<T extends @Nullable Object> {
  private boolean done;
  private @Nullable T value;
  private @Nullable Throwable error;

  void set(@Nullable T newValue, @Nullable Throwable newError) {
    value = newValue;
    error = newError;
    done = true;
  }

  boolean isDone() {
    return done;
  }

  @SuppressWarnings("NullAway") // a stage of non-null values that has not failed has a value
  T value() {
    if (error instanceof CompletionException wrapped) {
      throw wrapped;
    }
    if (error != null) {
      throw new CompletionException(error);
    }
    return value;
  }
}
