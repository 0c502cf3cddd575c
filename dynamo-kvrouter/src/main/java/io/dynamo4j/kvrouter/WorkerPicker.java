// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.RandomSource;

/** Draws the winner from the candidates' costs. */
@FunctionalInterface
public interface WorkerPicker {

  /**
   * Returns the winning row.
   *
   * @param costs finite costs by row; entries from {@code count} on mean nothing
   * @param count number of rows, at least 1
   */
  int pick(double[] costs, int count, RandomSource random);
}
