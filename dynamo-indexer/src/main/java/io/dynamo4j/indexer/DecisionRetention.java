// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/**
 * How long decisions are believed.
 *
 * @param policy what makes room
 * @param ttlNanos time after the last decision that named a block, where time decides
 * @param maxBlocks blocks over all ranks of one lane; beyond that the longest unused go
 */
record DecisionRetention(ApproximateCachePolicy policy, long ttlNanos, long maxBlocks) {}
