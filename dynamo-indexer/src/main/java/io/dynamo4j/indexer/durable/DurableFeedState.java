// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

/** How far a {@link DurableKvFeed} is. */
public enum DurableFeedState {
  /** Registers with the log, looks for a snapshot and loads it. */
  STARTING,
  /** Applies what was in the log at its start. */
  REPLAYING,
  /** Has applied all that was there at its start, and follows. */
  LIVE,
  /** Closed. */
  CLOSED
}
