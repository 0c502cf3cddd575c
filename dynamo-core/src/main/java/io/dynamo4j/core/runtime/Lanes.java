// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

/** Source of serial lanes: a set of real executors, or one simulated node. */
@FunctionalInterface
public interface Lanes {

  /**
   * Makes a new lane. A lane is a small object, never a thread; one per open stream is intended
   * use, and an idle lane that nobody refers to is garbage.
   *
   * @param name for diagnostics; need not be unique
   */
  Scheduler lane(String name);

  /**
   * Asks to be told, once, that these lanes have closed: from then on they reject tasks, and timers
   * that were pending never come. Whoever has promised somebody an outcome gives it then.
   *
   * <p>By default nobody is told, as of lanes that end with everything on them.
   *
   * @param task runs on whichever thread closes or notices, at once if they are closed already; it
   *     must not wait
   * @return withdraws the task
   */
  default Cancellable onClose(Runnable task) {
    return () -> false;
  }
}
