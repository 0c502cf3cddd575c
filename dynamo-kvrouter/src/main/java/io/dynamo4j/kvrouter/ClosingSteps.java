// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import org.jspecify.annotations.Nullable;

/** Ends several things, each of them though an earlier one throws. */
final class ClosingSteps {
  private @Nullable RuntimeException failure;

  void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException thrown) {
      if (failure == null) {
        failure = thrown;
      } else {
        failure.addSuppressed(thrown);
      }
    }
  }

  /** Throws what the first failing step threw, the others within it. */
  void finish() {
    if (failure != null) {
      throw failure;
    }
  }
}
