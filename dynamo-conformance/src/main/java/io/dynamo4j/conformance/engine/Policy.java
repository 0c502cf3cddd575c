// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

/** Where this library treats an engine's events otherwise than the recorded peer, by rule. */
enum Policy {
  /** A bad event costs itself, not the good ones of its batch. */
  BAD_EVENT_COSTS_ITSELF("engine-readable-events-count"),
  /** A batch without rank, with surplus items, as a map, or without a time is read. */
  BATCH_FORMS("engine-readable-events-count"),
  /** The bytes of a digest are a hash: their last eight count. */
  DIGEST_HASHES("engine-readable-events-count"),
  /** A parent 0 that is not held is no parent: simulators write it for a root. */
  ZERO_PARENT("engine-readable-events-count"),
  /** Stores are not joined into one that names a block twice, as that would be refused. */
  JOIN_NAMES_BLOCKS_ONCE("engine-readable-events-count"),
  /** A removal takes one of the copies that stores have counted. */
  COPIES_COUNT("engine-copies-are-counted"),
  /** A salt that is nested or unmarked is a namespace. */
  UNDECLARED_SALTS("engine-blocks-never-collide"),
  /** Media in keys beside the tokens enter the hash. */
  KEYED_MEDIA("engine-blocks-never-collide"),
  /** An adapter without a name is refused. */
  UNNAMED_ADAPTERS("engine-blocks-never-collide"),
  /** A key that is neither adapter nor medium nor salt is refused. */
  UNKNOWN_KEYS("engine-blocks-never-collide"),
  /** A store without a full block is counted and not published. */
  EMPTY_STORES("engine-nothing-stored-nothing-published");

  private final String rule;

  Policy(String rule) {
    this.rule = rule;
  }

  /** Returns the rule as the list of differences names it. */
  String rule() {
    return rule;
  }
}
