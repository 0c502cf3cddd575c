// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Lanes;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A set of lanes and a way to let them work, so that one test drives real and simulated lanes.
 *
 * <p>Closing releases what the harness started.
 */
public interface LaneHarness extends AutoCloseable {

  /** Returns the lanes under test. */
  Lanes lanes();

  /**
   * Lets the lanes work until {@code stage} is complete; called from outside of any lane.
   *
   * @throws AssertionError if it does not complete in due time
   */
  void await(CompletionStage<?> stage);

  /**
   * Called from a lane's task: keeps the lane busy for this long, where time passes during a task.
   * In virtual time it does not, and this returns at once.
   */
  void keepBusy(long nanos);

  /** Says whether a lane goes on after a task threw; a simulation fails the run instead. */
  boolean laneGoesOnAfterFailure();

  /** Returns what the failure handler was told last, or null. */
  @Nullable Throwable reportedFailure();

  /** Closes the lanes in order; further use of them must be rejected. */
  void closeLanes();

  @Override
  void close();
}
