// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

/** What a {@link DurableKvFeed} counts. */
public enum DurableFeedCounter {
  /** Entries read, those included that say nothing new. */
  ENTRIES,
  /** Events applied. */
  EVENTS,
  /** Entries that are none of this library's. */
  FOREIGN_ENTRIES,
  /** Events that had been applied before. */
  REPEATED_EVENTS,
  /** Events of a writer that another has taken the rank over from: two write for one rank. */
  FORMER_WRITER_EVENTS,
  /** Events of ranks that the worker does not declare, or of too many workers nobody names. */
  UNDECLARED_EVENTS,
  /** Events behind one that is missing; their rank is marked stale. */
  GAPS,
  /** Times that entries were gone before they were read. */
  HOLES,
  /** Times that everything was forgotten and read anew. */
  REBUILDS,
  /** Resets by whoever may order one. */
  RESETS,
  /** Times that the log had forgotten this reader. */
  CONSUMERS_RENEWED,
  /** Snapshots written and verified by this router. */
  SNAPSHOTS_WRITTEN,
  /** Snapshots that could not be written or verified. */
  SNAPSHOTS_FAILED,
  /** Snapshots that were not fit to start from. */
  SNAPSHOTS_REFUSED,
  /** Times that the log was purged up to what snapshots cover. */
  PURGES,
  /** Readers removed that nobody attended. */
  ORPHANS_REMOVED,
  /** Workers forgotten that the directory no longer names. */
  WORKERS_FORGOTTEN
}
