// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.concurrent.CompletionException;

/** Failures as they were before stages wrapped them. */
final class StageFailures {
  private StageFailures() {}

  /** Returns what a stage failed with, without the wrapper that a stage behind it adds. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
