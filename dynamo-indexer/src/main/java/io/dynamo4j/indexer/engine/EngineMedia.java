// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.model.StorageTier;
import org.jspecify.annotations.Nullable;

/**
 * Which tier an engine's name of a medium stands for; case counts.
 *
 * <p><b>Source.</b> The table of Dynamo 1.6.1, confirmed by recorded cases.
 */
final class EngineMedia {

  private EngineMedia() {}

  /** Returns the tier, null if the name stands for none. */
  static @Nullable StorageTier tierOf(@Nullable String medium) {
    if (medium == null) {
      return StorageTier.DEVICE;
    }
    return switch (medium) {
      case "", "GPU", "DEVICE" -> StorageTier.DEVICE;
      case "CPU", "CPU_PINNED", "CPU_TIER1" -> StorageTier.HOST_PINNED;
      case "CPU_TIER2", "DISK", "NVME", "STORAGE" -> StorageTier.DISK;
      case "EXTERNAL", "NETWORK", "REMOTE", "SHARED" -> StorageTier.EXTERNAL;
      default -> null;
    };
  }
}
