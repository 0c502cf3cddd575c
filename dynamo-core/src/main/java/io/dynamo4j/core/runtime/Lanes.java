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
}
