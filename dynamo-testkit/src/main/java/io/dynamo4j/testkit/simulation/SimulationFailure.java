// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run that went wrong. Its message is one line that says how to replay the run: seed,
 * event number, virtual time, lane and trace hash.
 */
public final class SimulationFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final transient List<String> recentEvents;

  SimulationFailure(
      Kind kind, String message, @Nullable Throwable cause, List<String> recentEvents) {
    super(message, cause);
    this.kind = kind;
    this.recentEvents = recentEvents;
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the last events before the failure, at most 200, one line each, oldest first. */
  public List<String> recentEvents() {
    return recentEvents;
  }

  /** What ended the run. */
  public enum Kind {
    /** A task threw; the cause is what it threw. */
    TASK_FAILED,
    /** Something was awaited and no task was left that could bring it about. */
    DEADLOCK,
    /** More events than the run may have. */
    TOO_MANY_EVENTS,
    /** More events within one virtual millisecond than allowed: tasks re-arm without delay. */
    ZERO_DELAY_LOOP,
    /** Virtual time passed without {@link Simulation#noteProgress}. */
    NO_PROGRESS
  }
}
