// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/** What an index knows prefixes from. */
enum IndexKind {
  EVENTS,
  EVENTS_AND_DECISIONS,
  DECISIONS
}
