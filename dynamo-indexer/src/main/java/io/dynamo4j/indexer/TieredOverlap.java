// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.StorageTier;
import org.jspecify.annotations.Nullable;

/**
 * Result of one lookup over all tiers: how many leading blocks each rank holds on its device, and
 * how many each tier below adds to that, one after the other.
 *
 * <p>Owned by the caller and reused from lookup to lookup. Ranks that hold nothing of the query in
 * a tier are absent from it.
 *
 * <p><b>Threads.</b> Not thread-safe: one caller.
 */
public final class TieredOverlap {
  private final OverlapScores device = OverlapScores.create();
  private OverlapScores @Nullable [] lower;

  private TieredOverlap() {}

  public static TieredOverlap create() {
    return new TieredOverlap();
  }

  /** Returns leading blocks on the device. */
  public OverlapScores device() {
    return device;
  }

  /**
   * Returns the blocks that a tier adds: for a tier below the device those that go on where the
   * tier before ended.
   */
  public OverlapScores of(StorageTier tier) {
    return tier == StorageTier.DEVICE ? device : lowerTiers()[TierOrder.indexOf(tier)];
  }

  /** Returns whether tiers below the device may add anything. */
  public boolean hasLowerTiers() {
    return lower != null;
  }

  private OverlapScores[] lowerTiers() {
    OverlapScores[] made = lower;
    if (made == null) {
      made = new OverlapScores[TierOrder.COUNT];
      for (int i = 0; i < made.length; i++) {
        made[i] = OverlapScores.create();
      }
      lower = made;
    }
    return made;
  }

  /** Forgets what tiers below the device add, and keeps its room. */
  public void clearLowerTiers() {
    if (lower != null) {
      for (OverlapScores tier : lower) {
        tier.clear();
      }
    }
  }
}
