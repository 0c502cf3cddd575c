// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import java.util.Arrays;

/**
 * A running hash over everything a run does, with a checkpoint every 2^k events.
 *
 * <p>Two runs that differ differ from some checkpoint on for good, so that the first differing
 * interval is found by comparing checkpoints.
 */
final class TraceHash {
  private static final long MULTIPLIER = 0x9fb21c651e98df25L;

  private final int checkpointShift;
  private long value = 0x2545f4914f6cdd1dL;
  private long eventCount;
  private long[] checkpoints = new long[64];
  private int checkpointCount;

  TraceHash(int checkpointShift) {
    this.checkpointShift = checkpointShift;
  }

  void addEvent(long timeNanos, long laneId, long sequence) {
    fold(timeNanos);
    fold(laneId ^ Long.rotateLeft(sequence, 32));
    eventCount++;
    if ((eventCount & ((1L << checkpointShift) - 1)) == 0) {
      addCheckpoint();
    }
  }

  void addNote(CharSequence note) {
    for (int i = 0; i < note.length(); i++) {
      fold(note.charAt(i));
    }
    fold(-note.length());
  }

  void addNote(long note) {
    fold(note);
  }

  long value() {
    return Mixing.mix(value);
  }

  long eventCount() {
    return eventCount;
  }

  long[] checkpoints() {
    return Arrays.copyOf(checkpoints, checkpointCount);
  }

  private void fold(long word) {
    long x = (value ^ word) * MULTIPLIER;
    value = x ^ (x >>> 29);
  }

  private void addCheckpoint() {
    if (checkpointCount == checkpoints.length) {
      checkpoints = Arrays.copyOf(checkpoints, checkpointCount * 2);
    }
    checkpoints[checkpointCount++] = value;
  }
}
