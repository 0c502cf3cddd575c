// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

/** Hears what became of the wish to kill a worker, on the lane that wished it. */
public interface KillReport {

  /** A worker died. */
  void killed(int position, int openStreams);

  /** No worker had an open stream: all live. */
  void spared();
}
