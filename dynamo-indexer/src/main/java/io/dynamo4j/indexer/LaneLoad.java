// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/**
 * One lane's part of an {@link IndexLoad}.
 *
 * @param content what has come of it
 * @param counters what became of its events
 */
record LaneLoad(LaneContent content, IndexCounters counters) {

  static LaneLoad of(LaneContent content) {
    return new LaneLoad(content, new IndexCounters());
  }
}
