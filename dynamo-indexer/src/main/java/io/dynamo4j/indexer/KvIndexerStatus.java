// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.util.Map;
import java.util.Objects;

/** Counters and health of a {@link KvIndexer} at one moment; counters never go back. */
public final class KvIndexerStatus {

  /** Whether scores can be trusted. */
  public enum Health {
    /** Every event handed in was, or will be, applied or refused by its own content. */
    EXACT,
    /** Learned from own decisions instead of events: what engines evict or store is not known. */
    APPROXIMATE,
    /** The events of some ranks are not all here and are being asked for. */
    STALE,
    /** Events were dropped for want of room: scores of their ranks may be stale. */
    LOSSY,
    /** Closed: lookups find nothing. */
    CLOSED
  }

  private final Health health;
  private final Map<EventOutcome, Long> eventsByOutcome;
  private final long rejectedBlocks;
  private final long unknownBlocks;
  private final long blocks;
  private final long lowerTierBlocks;
  private final long decidedBlocks;
  private final long pendingUpdates;
  private final int staleRanks;

  KvIndexerStatus(
      Health health,
      Map<EventOutcome, Long> eventsByOutcome,
      long rejectedBlocks,
      long unknownBlocks,
      long blocks,
      long lowerTierBlocks,
      long decidedBlocks,
      long pendingUpdates,
      int staleRanks) {
    this.health = Objects.requireNonNull(health, "health");
    this.eventsByOutcome = eventsByOutcome;
    this.rejectedBlocks = rejectedBlocks;
    this.unknownBlocks = unknownBlocks;
    this.blocks = blocks;
    this.lowerTierBlocks = lowerTierBlocks;
    this.decidedBlocks = decidedBlocks;
    this.pendingUpdates = pendingUpdates;
    this.staleRanks = staleRanks;
  }

  public Health health() {
    return health;
  }

  /** Returns how many events ended so. */
  public long events(EventOutcome outcome) {
    return eventsByOutcome.getOrDefault(outcome, 0L);
  }

  /** Returns the blocks of all stores that were refused as a whole. */
  public long rejectedBlocks() {
    return rejectedBlocks;
  }

  /** Returns the hashes of all removals that were not known. */
  public long unknownBlocks() {
    return unknownBlocks;
  }

  /** Returns the (block hash, place) pairs that ranks hold on their devices now. */
  public long blocks() {
    return blocks;
  }

  /** Returns the (block hash, tier) pairs that ranks hold below their devices now. */
  public long lowerTierBlocks() {
    return lowerTierBlocks;
  }

  /** Returns the blocks that ranks are believed to hold because of own decisions. */
  public long decidedBlocks() {
    return decidedBlocks;
  }

  /** Returns the events and decisions handed in and not yet applied. */
  public long pendingUpdates() {
    return pendingUpdates;
  }

  /** Returns the ranks marked by {@link KvIndexer#markStale}. */
  public int staleRanks() {
    return staleRanks;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("KvIndexerStatus[health=").append(health);
    for (EventOutcome outcome : EventOutcome.values()) {
      text.append(", ").append(outcome).append('=').append(events(outcome));
    }
    return text.append(", rejectedBlocks=")
        .append(rejectedBlocks)
        .append(", unknownBlocks=")
        .append(unknownBlocks)
        .append(", blocks=")
        .append(blocks)
        .append(", lowerTierBlocks=")
        .append(lowerTierBlocks)
        .append(", decidedBlocks=")
        .append(decidedBlocks)
        .append(", pendingUpdates=")
        .append(pendingUpdates)
        .append(", staleRanks=")
        .append(staleRanks)
        .append(']')
        .toString();
  }
}
