// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

/** What a writer of a durable log counts. */
public enum DurableWriterCounter {
  /** Entries that the log has acknowledged. */
  ENTRIES,
  /** Events written, clears that begin a rank included. */
  EVENTS,
  /** Attempts that were repeated. */
  RETRIES,
  /** Times that the buffer was full: what waited was dropped, to be written anew as a whole. */
  OVERFLOWS,
  /** Events dropped for want of room. */
  DROPPED_EVENTS,
  /** Times that all that is held was written anew. */
  REWRITES,
  /** Times that the log had been reset, or may have been: all that is held was written anew. */
  RESETS,
  /** Entries that the log found too long; later ones are shorter. */
  TOO_LARGE
}
