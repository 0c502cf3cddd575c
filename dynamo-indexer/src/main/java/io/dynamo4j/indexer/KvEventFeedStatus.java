// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.util.List;
import java.util.Map;

/** Counters of a {@link KvEventFeed} at one moment. */
public final class KvEventFeedStatus {
  private final Map<FeedCounter, Long> counts;
  private final int heldEvents;
  private final long overrunEnvelopes;
  private final List<SourceConflict> conflicts;

  KvEventFeedStatus(
      Map<FeedCounter, Long> counts,
      int heldEvents,
      long overrunEnvelopes,
      List<SourceConflict> conflicts) {
    this.counts = counts;
    this.heldEvents = heldEvents;
    this.overrunEnvelopes = overrunEnvelopes;
    this.conflicts = conflicts;
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

  /** Returns the ranks for which two publishers write at present, by worker; unmodifiable. */
  public List<SourceConflict> conflicts() {
    return conflicts;
  }

  @Override
  public String toString() {
    return "KvEventFeedStatus[counts="
        + counts
        + ", heldEvents="
        + heldEvents
        + ", overrunEnvelopes="
        + overrunEnvelopes
        + ", conflicts="
        + conflicts
        + "]";
  }
}
