// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.WorkerInstance;
import org.jspecify.annotations.Nullable;

/** Says where a rank's source of events answers recovery queries. */
@FunctionalInterface
public interface RecoveryTargets {

  /**
   * Returns where to ask about a rank of a registered worker, or null if nothing answers for it:
   * then its live events count and its past is unknown.
   *
   * <p><b>Threads.</b> Called on the feed's lane, once for each rank of each record; never waits.
   */
  @Nullable WorkerInstance targetOf(WorkerInstance worker, WorkerWithDpRank rank);

  /**
   * Returns the convention of this library's own workers: {@link #besideWorker(WorkerInstance,
   * WorkerWithDpRank)}.
   */
  static RecoveryTargets besideWorker() {
    return RecoveryTargets::besideWorker;
  }

  /**
   * Returns the endpoint at the worker's address, followed by {@code /worker_kv_query_dp} and the
   * rank.
   */
  static WorkerInstance besideWorker(WorkerInstance worker, WorkerWithDpRank rank) {
    Address address = worker.address();
    String value =
        address.value() + "/worker_kv_query_dp" + Integer.toUnsignedString(rank.dpRank());
    return WorkerInstance.builder(rank.workerId(), new Address(address.transport(), value))
        .incarnation(worker.incarnation())
        .dpRanks(rank.dpRank(), 1)
        .build();
  }
}
