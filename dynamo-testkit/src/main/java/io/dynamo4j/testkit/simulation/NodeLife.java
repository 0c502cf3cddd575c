// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

/** One life of a node, from its start to a crash or shutdown. */
final class NodeLife {
  private boolean over;
  private boolean closed;
  private long stalledUntilNanos;

  /** Ends the life; the lanes of a closed one reject tasks, those of a crashed one lose them. */
  void end(boolean orderly) {
    over = true;
    closed = orderly;
  }

  boolean isOver() {
    return over;
  }

  boolean isClosed() {
    return closed;
  }

  void stallUntil(long untilNanos) {
    stalledUntilNanos = Math.max(stalledUntilNanos, untilNanos);
  }

  long stalledUntilNanos() {
    return stalledUntilNanos;
  }
}
