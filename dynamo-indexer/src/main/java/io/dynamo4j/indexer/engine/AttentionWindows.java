// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.wire.EngineEvent;

/**
 * Which of TensorRT-LLM's pools of blocks follows the prefix: that of the largest attention window.
 *
 * <p>The pools are announced before anything is stored; what comes later teaches nothing. Without
 * an announcement every event counts.
 */
final class AttentionWindows {
  private long largest = -1;
  private boolean learning = true;

  void learn(EngineEvent announcement) {
    if (learning) {
      largest = Math.max(largest, announcement.window());
    }
  }

  /** Returns whether the blocks of an event count. */
  boolean isMain(EngineEvent event) {
    learning = false;
    return event.window() < 0 || largest < 0 || event.window() == largest;
  }
}
