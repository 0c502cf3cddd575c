// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

/**
 * Told of tasks that threw; the lane goes on with its next task.
 *
 * <p><b>Threads.</b> Called on the lane of the task, between that task and the next.
 */
@FunctionalInterface
public interface LaneFailureHandler {

  /**
   * Takes what a task threw. What this method throws itself is lost.
   *
   * @param lane the lane's name
   */
  void taskFailed(String lane, Throwable thrown);
}
