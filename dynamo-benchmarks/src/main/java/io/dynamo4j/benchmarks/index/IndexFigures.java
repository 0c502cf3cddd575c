// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import java.util.List;

/** What the measuring process says, as JSON lines. */
final class IndexFigures {

  private IndexFigures() {}

  /** What does not depend on the machine's speed, measured once. */
  record Once(
      String logChecksum,
      long memberships,
      long uniqueBlocks,
      long queryBlocks,
      long storedBlocks,
      long removedBlocks,
      int wrongAnswers,
      int checkedAnswers,
      List<QuerySet.Answers> answers,
      double bytesPerMembership,
      double foreignBytesPerMembership,
      double lookupAllocation,
      double applyAllocation) {}

  /** One round of everything that is timed, the least of a few passes each, nanoseconds. */
  record Round(
      List<Lookup> lookups,
      double applyWallPerBlock,
      double applyCpuPerBlock,
      double treeCpuPerBlock) {}

  /** Thread CPU nanoseconds a query. */
  record Lookup(String set, double ours, double plain) {}

  /** Nanoseconds of one lookup with the clock around it, beside a writer or without one. */
  record Mixed(
      double idleP50,
      double idleP99,
      double busyP50,
      double busyP99,
      int busyReads,
      double blocksPerSecond) {}
}
