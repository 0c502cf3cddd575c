// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

/** What the measuring process says about the whole indexer, as JSON lines. */
final class IndexerFigures {

  private IndexerFigures() {}

  /** Wall nanoseconds a block from the first event handed in to the last one visible. */
  record Apply(double tree, double oneLane, double twoLanes) {}

  /** Thread CPU nanoseconds a lookup over one tree and over two, and whether they agree. */
  record Lookup(double oneTree, double twoTrees, int wrongAnswers) {}

  /** Wall nanoseconds a block from envelopes to the last block visible. */
  record Fed(double wallPerBlock, long blocks) {}

  /** Wall nanoseconds from the delivery of an envelope to its block being found. */
  record Visible(double p50, double p99, int events) {}

  /** Wall nanoseconds of a snapshot and of a copy of the same bytes. */
  record Snapshot(double write, double load, double copy, long bytes, long blocks) {}

  /** Nanoseconds of lookups while a worker is recovered, and without. */
  record Recovery(
      double idleP50,
      double idleP99,
      double busyP50,
      double busyP99,
      int busyReads,
      int recoveries,
      double recoveryNanos,
      long blocks) {}

  /** What decoding allocates. */
  record Decoding(double bytesPerBlock, double bytesPerMessage) {}
}
