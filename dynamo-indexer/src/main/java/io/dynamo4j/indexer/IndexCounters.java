// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.tree.ApplyResult;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** What became of events, over all lanes of an index. Any thread. */
final class IndexCounters {
  private final Map<EventOutcome, AtomicLong> eventsByOutcome = new EnumMap<>(EventOutcome.class);
  private final AtomicLong rejectedBlocks = new AtomicLong();
  private final AtomicLong unknownBlocks = new AtomicLong();

  IndexCounters() {
    for (EventOutcome outcome : EventOutcome.values()) {
      eventsByOutcome.put(outcome, new AtomicLong());
    }
  }

  void count(EventOutcome outcome) {
    counter(outcome).incrementAndGet();
  }

  /** Counts an applied event and returns what became of it. */
  EventOutcome count(ApplyResult result) {
    EventOutcome outcome =
        switch (result.outcome()) {
          case APPLIED -> EventOutcome.APPLIED;
          case DUPLICATE -> EventOutcome.DUPLICATE;
          case PARENT_NOT_FOUND -> EventOutcome.PARENT_NOT_FOUND;
          case SELF_REFERENCE -> EventOutcome.SELF_REFERENCE;
          case UNKNOWN_BLOCKS -> EventOutcome.UNKNOWN_BLOCKS;
          case OUT_OF_CAPACITY -> EventOutcome.OUT_OF_CAPACITY;
        };
    count(outcome);
    if (result.rejectedBlocks() != 0) {
      rejectedBlocks.addAndGet(result.rejectedBlocks());
    }
    if (result.unknownBlocks() != 0) {
      unknownBlocks.addAndGet(result.unknownBlocks());
    }
    return outcome;
  }

  /** Counts what others have counted. */
  void addAll(IndexCounters others) {
    for (EventOutcome outcome : EventOutcome.values()) {
      counter(outcome).addAndGet(others.events(outcome));
    }
    rejectedBlocks.addAndGet(others.rejectedBlocks.get());
    unknownBlocks.addAndGet(others.unknownBlocks.get());
  }

  long events(EventOutcome outcome) {
    return counter(outcome).get();
  }

  private AtomicLong counter(EventOutcome outcome) {
    return Objects.requireNonNull(eventsByOutcome.get(outcome), "counter");
  }

  KvIndexerStatus status(
      KvIndexerStatus.Health health,
      long blocks,
      long lowerTierBlocks,
      long decidedBlocks,
      long pendingUpdates,
      int staleRanks) {
    Map<EventOutcome, Long> events = new EnumMap<>(EventOutcome.class);
    eventsByOutcome.forEach((outcome, count) -> events.put(outcome, count.get()));
    return new KvIndexerStatus(
        health,
        events,
        rejectedBlocks.get(),
        unknownBlocks.get(),
        blocks,
        lowerTierBlocks,
        decidedBlocks,
        pendingUpdates,
        staleRanks);
  }
}
