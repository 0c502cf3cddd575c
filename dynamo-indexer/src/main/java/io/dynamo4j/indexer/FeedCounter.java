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
  CONFLICTING_EVENTS
}
