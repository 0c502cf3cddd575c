// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import org.jspecify.annotations.Nullable;

/** Guards against runs that would never end. */
final class RunLimits {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final long maxEvents;
  private final long maxEventsPerMilli;
  private final long maxNanosWithoutProgress;
  private long events;
  private long eventsInMilli;
  private long milliEndNanos;
  private long lastProgressNanos;

  RunLimits(long maxEvents, long maxEventsPerMilli, long maxNanosWithoutProgress) {
    this.maxEvents = maxEvents;
    this.maxEventsPerMilli = maxEventsPerMilli;
    this.maxNanosWithoutProgress = maxNanosWithoutProgress;
  }

  void noteProgress(long nowNanos) {
    lastProgressNanos = nowNanos;
  }

  /** Counts an event; returns the limit that it breaks, or null. */
  SimulationFailure.@Nullable Kind countEvent(long nowNanos) {
    if (nowNanos >= milliEndNanos) {
      milliEndNanos =
          NodeClock.saturatedAdd(nowNanos - nowNanos % NANOS_PER_MILLI, NANOS_PER_MILLI);
      eventsInMilli = 0;
    }
    if (++eventsInMilli > maxEventsPerMilli) {
      return SimulationFailure.Kind.ZERO_DELAY_LOOP;
    }
    if (++events > maxEvents) {
      return SimulationFailure.Kind.TOO_MANY_EVENTS;
    }
    return nowNanos - lastProgressNanos > maxNanosWithoutProgress
        ? SimulationFailure.Kind.NO_PROGRESS
        : null;
  }
}
