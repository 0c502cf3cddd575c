// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

/**
 * What a snapshot holds.
 *
 * @param events stores
 * @param blocks blocks of all stores
 * @param bytes length of the whole
 */
public record SnapshotSummary(long events, long blocks, long bytes) {}
