// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * How long the steps before a choice took; 0 for those that were not taken, or that nobody times.
 *
 * @param blockHashNanos hashing the prompt's blocks
 * @param sequenceHashNanos chaining those hashes
 * @param lookupNanos asking the index
 */
record PromptTimes(long blockHashNanos, long sequenceHashNanos, long lookupNanos) {
  static final PromptTimes NONE = new PromptTimes(0, 0, 0);
}
