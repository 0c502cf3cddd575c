// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

/** Workers in another process; what they are asked for they do in order. */
public interface LiveEngines {

  /**
   * Kills one of the workers that have an open stream.
   *
   * @param draw says which
   * @param report hears of it, on the run's lane
   */
  void kill(long draw, KillReport report);

  /** Begins another life of the worker at a position. */
  void start(int position);

  /** Runs an action on the run's lane once everything that engines had to tell is told. */
  void flush(Runnable action);
}
