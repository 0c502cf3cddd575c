// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.wire.EngineEvent;
import org.jspecify.annotations.Nullable;

/** Which events are about blocks of this rank that follow the prefix. */
final class EngineEventFilter {

  private EngineEventFilter() {}

  /** Returns why an event of any kind is left out, null if it is not. */
  static @Nullable EngineEventReject judgeOwner(EngineEvent event) {
    return event.ownership() == null ? null : EngineEventReject.FOREIGN_OWNERSHIP;
  }

  /** Returns why a store or removal is left out, null if it is not. */
  static @Nullable EngineEventReject judgeBlocks(EngineEvent event, RankState rank) {
    EngineEventReject reject = judgeOwner(event);
    if (reject == null) {
      reject = judgeLocality(event.locality());
    }
    if (reject == null) {
      reject = rank.groups.judge(event);
    }
    if (reject == null && event.isDictionary() && !rank.windows.isMain(event)) {
      reject = EngineEventReject.NON_MAIN_WINDOW;
    }
    if (reject == null && EngineMedia.tierOf(event.medium()) == null) {
      reject = EngineEventReject.UNKNOWN_MEDIUM;
    }
    return reject;
  }

  private static @Nullable EngineEventReject judgeLocality(@Nullable String locality) {
    if (locality == null || locality.equals("LOCAL")) {
      return null;
    }
    return locality.equals("REMOTE")
        ? EngineEventReject.REMOTE_LOCALITY
        : EngineEventReject.UNKNOWN_LOCALITY;
  }
}
