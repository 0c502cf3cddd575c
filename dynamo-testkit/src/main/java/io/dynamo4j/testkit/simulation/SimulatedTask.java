// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import io.dynamo4j.core.runtime.Cancellable;
import org.jspecify.annotations.Nullable;

/** One queued task: the only object that an event costs. */
final class SimulatedTask implements Cancellable {
  final SimulatedLane lane;

  /** The task's place in the order of all submissions. */
  final long sequence;

  /** When it was first due; keeps the order of a lane's tasks when a stall moves them together. */
  final long dueNanos;

  /** When it is due by the node's own clock; never run before. */
  final long localDueNanos;

  /** When it is due now, in virtual time. */
  long timeNanos;

  long tie;

  /** What to run; null once cancelled or taken to be run. */
  @Nullable Runnable body;

  SimulatedTask(
      SimulatedLane lane, Runnable body, long timeNanos, long localDueNanos, long sequence) {
    this.lane = lane;
    this.body = body;
    this.timeNanos = timeNanos;
    this.dueNanos = timeNanos;
    this.localDueNanos = localDueNanos;
    this.sequence = sequence;
    this.tie = lane.tieAt(timeNanos);
  }

  boolean isBefore(SimulatedTask other) {
    if (timeNanos != other.timeNanos) {
      return timeNanos < other.timeNanos;
    }
    if (tie != other.tie) {
      return tie < other.tie;
    }
    if (dueNanos != other.dueNanos) {
      return dueNanos < other.dueNanos;
    }
    return sequence < other.sequence;
  }

  @Override
  public boolean cancel() {
    return lane.cancel(this);
  }
}
