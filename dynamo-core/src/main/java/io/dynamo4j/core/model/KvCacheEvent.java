// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Objects;

/** One numbered change of one rank's cache. */
public final class KvCacheEvent {
  private final long eventId;
  private final int dpRank;
  private final KvCacheEventData data;

  private KvCacheEvent(long eventId, int dpRank, KvCacheEventData data) {
    this.eventId = eventId;
    this.dpRank = dpRank;
    this.data = Objects.requireNonNull(data, "data");
  }

  /**
   * Returns an event.
   *
   * @param eventId the publisher's consecutive number, unsigned
   * @param dpRank the rank whose cache changed, unsigned
   */
  public static KvCacheEvent of(long eventId, int dpRank, KvCacheEventData data) {
    return new KvCacheEvent(eventId, dpRank, data);
  }

  public long eventId() {
    return eventId;
  }

  public int dpRank() {
    return dpRank;
  }

  public KvCacheEventData data() {
    return data;
  }
}
