// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last events of a run, kept for a failure report without allocating per event. */
final class EventRing {
  private static final int SLOTS = 256;
  private static final int REPORTED = 200;

  private final long[] times = new long[SLOTS];
  private final long[] sequences = new long[SLOTS];
  private final @Nullable Object[] sources = new Object[SLOTS];
  private long count;

  void add(long timeNanos, Object source, long sequence) {
    int slot = (int) count & (SLOTS - 1);
    times[slot] = timeNanos;
    sequences[slot] = sequence;
    sources[slot] = source;
    count++;
  }

  /** Returns one line an entry, oldest first. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (long i = Math.max(0, count - REPORTED); i < count; i++) {
      int slot = (int) i & (SLOTS - 1);
      lines.add("timeNanos=" + times[slot] + " task=" + sequences[slot] + " " + sources[slot]);
    }
    return lines;
  }
}
