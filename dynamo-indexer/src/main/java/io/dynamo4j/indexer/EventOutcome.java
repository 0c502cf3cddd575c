// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/** What became of one event handed to an index. */
public enum EventOutcome {
  /** Took effect as a whole. */
  APPLIED,
  /** A store of blocks that were all known; no change. */
  DUPLICATE,
  /** A store under a block that its rank is not known to hold; refused as a whole. */
  PARENT_NOT_FOUND,
  /** A store that names its own parent among its blocks; refused as a whole. */
  SELF_REFERENCE,
  /** A removal of which some hashes were not known; the others were removed. */
  UNKNOWN_BLOCKS,
  /** A store for which the index had no room; refused as a whole. */
  OUT_OF_CAPACITY,
  /** Dropped because the index learns from decisions alone. */
  EVENTS_OFF,
  /** An event or a decision dropped because too many updates were pending. */
  QUEUE_FULL
}
