// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

/** When the rounds of a run end, whatever was asked for. */
final class Deadline {
  private final long endNanos;

  private Deadline(long endNanos) {
    this.endNanos = endNanos;
  }

  static Deadline inSeconds(long seconds) {
    return new Deadline(System.nanoTime() + seconds * 1_000_000_000L);
  }

  /** Returns the end of the first of {@code parts} equal parts of the time left. */
  Deadline firstOf(int parts) {
    long now = System.nanoTime();
    return new Deadline(now + (endNanos - now) / parts);
  }

  boolean isOver() {
    return System.nanoTime() - endNanos > 0;
  }
}
