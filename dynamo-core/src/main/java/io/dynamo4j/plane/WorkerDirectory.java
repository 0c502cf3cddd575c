// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.runtime.Scheduler;
import java.util.List;

/**
 * Who is registered, and nothing else: whether a worker just failed or drains is {@link
 * WorkerHealth}'s.
 */
public interface WorkerDirectory {

  /**
   * Returns the registered instances, by worker id as an unsigned number. An immutable snapshot
   * that is replaced, never changed; O(1).
   *
   * <p><b>Threads.</b> Any.
   */
  List<WorkerInstance> instances();

  /**
   * Reports every instance now registered as added, by worker id as an unsigned number, then every
   * change, in order. A listener that throws loses that report only; what it threw goes to the
   * lane's failure handler. Nothing is reported once the subscription was closed on the lane.
   *
   * @param lane where {@code listener} runs; never inline
   */
  Subscription watch(Scheduler lane, Listener listener);

  /** Receives changes of a directory, on the lane given to {@link WorkerDirectory#watch}. */
  interface Listener {

    /**
     * An instance appeared, or the record of a known worker id was replaced (other {@link
     * WorkerInstance#incarnation()}: the old life is over).
     */
    void added(WorkerInstance instance);

    /** An instance is gone; whatever it held is lost. */
    void removed(WorkerInstance instance);
  }
}
