// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Prompts that are used again with their results of lookups, so that a decision makes no garbage.
 * Keeps as many as decisions are made at a time, up to a small number.
 *
 * <p><b>Threads.</b> Any.
 */
final class PromptPool {
  private static final int KEPT = 16;

  private final AtomicReferenceArray<Prompt> kept = new AtomicReferenceArray<>(KEPT);

  /** Returns one that nobody else has; what it says is from before. */
  Prompt take() {
    for (int i = 0; i < KEPT; i++) {
      if (kept.getPlain(i) != null) {
        Prompt taken = kept.getAndSet(i, null);
        if (taken != null) {
          return taken;
        }
      }
    }
    return new Prompt();
  }

  void giveBack(Prompt prompt) {
    for (int i = 0; i < KEPT; i++) {
      if (kept.getPlain(i) == null && kept.compareAndSet(i, null, prompt)) {
        return;
      }
    }
  }
}
