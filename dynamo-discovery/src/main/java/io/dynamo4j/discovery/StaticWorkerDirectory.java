// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.List;

/**
 * Workers that are written down once and never change.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class StaticWorkerDirectory implements WorkerDirectory {
  private final InMemoryWorkerDirectory workers = InMemoryWorkerDirectory.create();

  private StaticWorkerDirectory(List<WorkerInstance> instances) {
    instances.forEach(workers::register);
    if (workers.instances().size() != instances.size()) {
      throw new IllegalArgumentException("worker ids must differ: workers=" + instances);
    }
  }

  /**
   * Returns a directory of these workers.
   *
   * @throws IllegalArgumentException if two have the same id
   */
  public static StaticWorkerDirectory of(WorkerInstance... instances) {
    return new StaticWorkerDirectory(List.of(instances));
  }

  /**
   * Returns a directory of these workers.
   *
   * @throws IllegalArgumentException if two have the same id
   */
  public static StaticWorkerDirectory of(List<WorkerInstance> instances) {
    return new StaticWorkerDirectory(List.copyOf(instances));
  }

  @Override
  public List<WorkerInstance> instances() {
    return workers.instances();
  }

  @Override
  public Subscription watch(Scheduler lane, Listener listener) {
    return workers.watch(lane, listener);
  }
}
