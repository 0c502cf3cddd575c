// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

/** What is counted beside the reasons of {@link EngineEventReject}. */
enum EngineEventCounter {
  MESSAGES,
  UNREADABLE_MESSAGES,
  ACCEPTED_EVENTS,
  STORED_BLOCKS,
  REMOVED_BLOCKS,
  PARTIAL_BLOCKS,
  UNDECLARED_SALTS
}
