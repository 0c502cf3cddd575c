// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/** What a {@link KvEventFeed} counts. */
public enum FeedCounter {
  /** Envelopes received. */
  ENVELOPES,
  /** Envelopes missing in a publisher's sequence, those before its first one included. */
  MISSED_ENVELOPES,
  /** Envelopes received again, dropped. */
  REPEATED_ENVELOPES,
  /** Envelopes that others of their publisher have overtaken; of use only with recovery. */
  OVERTAKEN_ENVELOPES,
  /** Envelopes whose payload is no list of events, dropped. */
  UNREADABLE_ENVELOPES,
  /** Publishers whose sequence started again. */
  RESTARTS,
  /** Events handed to the index. */
  SUBMITTED_EVENTS,
  /** Events that could not be used by their own content, dropped. */
  UNUSABLE_EVENTS,
  /** Events of a rank that its worker does not declare, dropped. */
  UNDECLARED_RANK_EVENTS,
  /** Events of a publisher that belongs to a life of the worker that is over, dropped. */
  LATE_EVENTS,
  /** Ranks that went to another publisher because theirs had fallen silent. */
  TAKEOVERS,
  /** Events held until their worker was registered, and then handed to the index. */
  CLAIMED_EVENTS,
  /** Events held for want of a registration that did not come in time, dropped. */
  UNREGISTERED_EVENTS,
  /** Events held because another publisher wrote for the same rank, and not claimed, dropped. */
  CONFLICTING_EVENTS,
  /** Events whose number says that they are in the index already, dropped. */
  STALE_EVENTS,
  /** Events that their source says it never sent, dropped. */
  BOGUS_EVENTS,
  /** Gaps in the numbers of a rank's events. */
  GAPS,
  /** Sources whose numbers went back. */
  REGRESSIONS,
  /** Stores whose parent the index did not know though no number was missing. */
  ORPHANS,
  /** Losses of last events, found without a later one. */
  LOST_TAILS,
  /** Recoveries by missing events alone. */
  CATCH_UPS,
  /** Recoveries by a source's full state. */
  RESTORES,
  /** Queries that failed. */
  FAILED_QUERIES,
  /** Recoveries given up after their last attempt. */
  FAILED_RECOVERIES,
  /** Ranks of which the index turned out to hold something else than their source. */
  DISPROVED_RANKS,
  /** Blocks put right without asking for everything. */
  REPAIRED_BLOCKS,
  /** Events in answers that belong to other ranks, dropped. */
  FOREIGN_EVENTS
}
