// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.util.Map;

/** Counters of a {@link KvEventFeed} at one moment. */
public final class KvEventFeedStatus {
  private final Map<FeedCounter, Long> counts;
  private final int heldEvents;
  private final long overrunEnvelopes;

  KvEventFeedStatus(Map<FeedCounter, Long> counts, int heldEvents, long overrunEnvelopes) {
    this.counts = counts;
    this.heldEvents = heldEvents;
    this.overrunEnvelopes = overrunEnvelopes;
  }

  /** Returns one counter; it never goes back. */
  public long count(FeedCounter counter) {
    return counts.getOrDefault(counter, 0L);
  }

  /** Returns the events that wait for the directory now. */
  public int heldEvents() {
    return heldEvents;
  }

  /** Returns the envelopes that the plane dropped because this feed was too slow. */
  public long overrunEnvelopes() {
    return overrunEnvelopes;
  }

  @Override
  public String toString() {
    return "KvEventFeedStatus[counts="
        + counts
        + ", heldEvents="
        + heldEvents
        + ", overrunEnvelopes="
        + overrunEnvelopes
        + "]";
  }
}
