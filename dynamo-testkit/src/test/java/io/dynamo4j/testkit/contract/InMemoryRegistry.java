// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;

/** The in-memory directory is its own registry. */
class InMemoryRegistry implements WorkerDirectoryContract.Registry {
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();

  @Override
  public WorkerDirectory directory() {
    return directory;
  }

  @Override
  public void register(WorkerInstance instance) {
    directory.register(instance);
  }

  @Override
  public void unregister(long workerId) {
    directory.unregister(workerId);
  }
}
