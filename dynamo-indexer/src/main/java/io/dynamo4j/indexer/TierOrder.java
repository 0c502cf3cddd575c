// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.StorageTier;

/** The tiers below the device by number, in the order in which a query goes on through them. */
final class TierOrder {
  private static final StorageTier[] TIERS = {
    StorageTier.HOST_PINNED, StorageTier.DISK, StorageTier.EXTERNAL
  };

  /** How many there are. */
  static final int COUNT = TIERS.length;

  private TierOrder() {}

  /** Returns the number of a tier below the device, -1 for the device itself. */
  static int indexOf(StorageTier tier) {
    return switch (tier) {
      case DEVICE -> -1;
      case HOST_PINNED -> 0;
      case DISK -> 1;
      case EXTERNAL -> 2;
    };
  }

  static StorageTier tier(int index) {
    return TIERS[index];
  }
}
