// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;

/**
 * How fast each rank is, relative to the others: a rank of speed 2 does in one second what one of
 * speed 1 does in two. The parts of a rank's cost are divided by its speeds, so that in an unequal
 * fleet the same work costs less where it is done sooner.
 *
 * <p>Must be quick and return positive finite numbers: it is asked for each candidate while the
 * router holds its lock.
 */
public interface WorkerSpeeds {

  /** Returns how fast prompts are computed. */
  double prefill(WorkerWithDpRank worker);

  /** Returns how fast answers are generated. */
  double decode(WorkerWithDpRank worker);
}
