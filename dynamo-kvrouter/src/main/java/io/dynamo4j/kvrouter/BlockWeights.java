// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.collect.LongObjectMap;

/**
 * Blocks of one rank that weigh less than 1; all others weigh 1.
 *
 * <p><b>Threads.</b> Not thread-safe.
 */
final class BlockWeights {
  private final LongObjectMap<Double> weights;
  private double missing;

  BlockWeights(long seed) {
    this.weights = LongObjectMap.create(seed);
  }

  /** Returns what all blocks together lack to a weight of 1 each. */
  double missing() {
    return missing;
  }

  /** Sets a block's weight, 0 to 1; 1 forgets it. */
  void set(long hash, double weight) {
    Double before = weight == 1 ? weights.remove(hash) : weights.put(hash, weight);
    missing += (before == null ? 1 : before) - weight;
    if (weights.size() == 0) {
      // A sum of fractions drifts; without any it is exactly 0.
      missing = 0;
    }
  }
}
