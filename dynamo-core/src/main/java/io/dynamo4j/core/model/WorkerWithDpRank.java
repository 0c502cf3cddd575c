// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import org.jspecify.annotations.Nullable;

/**
 * One data-parallel rank of one worker: the unit of cache ownership and of routing.
 *
 * <p>Ordered by worker id as an unsigned number, then by rank.
 *
 * @param workerId instance id, an unsigned 64-bit pattern
 * @param dpRank data-parallel rank, an unsigned 32-bit pattern; 0 where data parallelism is off
 */
public record WorkerWithDpRank(long workerId, int dpRank) implements Comparable<WorkerWithDpRank> {

  /** Returns rank 0 of a worker. */
  public static WorkerWithDpRank of(long workerId) {
    return new WorkerWithDpRank(workerId, 0);
  }

  @Override
  public int compareTo(WorkerWithDpRank other) {
    int byWorker = Long.compareUnsigned(workerId, other.workerId);
    return byWorker != 0 ? byWorker : Integer.compareUnsigned(dpRank, other.dpRank);
  }

  /** Written out, as {@link #hashCode} is, because tables of ranks ask for it in every decision. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof WorkerWithDpRank rank
            && workerId == rank.workerId
            && dpRank == rank.dpRank);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(workerId) + dpRank;
  }

  /** Returns {@code workerId/dpRank}, both unsigned. */
  @Override
  public String toString() {
    return Long.toUnsignedString(workerId) + "/" + Integer.toUnsignedString(dpRank);
  }
}
