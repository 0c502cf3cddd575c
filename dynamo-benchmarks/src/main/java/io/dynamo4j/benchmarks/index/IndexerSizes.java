// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

/**
 * How much of everything is measured.
 *
 * @param recoveredBlocks blocks of the worker that is recovered
 * @param reads lookups beside its recovery
 * @param events events that are waited for one by one
 * @param passes passes of which the least counts
 */
record IndexerSizes(int recoveredBlocks, int reads, int events, int passes) {
  static final IndexerSizes FULL = new IndexerSizes(1_000_000, 100_000, 50_000, 3);
  static final IndexerSizes QUICK = new IndexerSizes(2_000, 500, 200, 1);
}
