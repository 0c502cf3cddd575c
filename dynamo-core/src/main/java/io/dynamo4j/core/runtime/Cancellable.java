// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

/** Handle of one scheduled task. */
@FunctionalInterface
public interface Cancellable {

  /**
   * Withdraws the task; callable from any thread, any number of times.
   *
   * @return true if the task has not run and never will; the task is then no longer reachable from
   *     the scheduler
   */
  boolean cancel();
}
