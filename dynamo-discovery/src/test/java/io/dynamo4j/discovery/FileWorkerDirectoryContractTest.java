// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.LaneHarness;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.testkit.contract.WorkerDirectoryContract;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.io.TempDir;

/** The contract over records in real files, written and read by one discovery. */
class FileWorkerDirectoryContractTest extends WorkerDirectoryContract {
  private static final EventScope.Endpoint ENDPOINT =
      new EventScope.Endpoint("test", "worker", "generate");

  @TempDir Path root;

  @Override
  protected LaneHarness newHarness() {
    return RealLanes.pooled(3);
  }

  @Override
  protected Registry newRegistry(Environment environment) {
    Environment now = new Environment(environment.lanes(), Instant::now, environment.random());
    return new Files(FileDiscovery.builder(now, root).scanInterval(Duration.ofMillis(1)).build());
  }

  private static final class Files implements Registry {
    private final FileDiscovery discovery;
    private final ConcurrentHashMap<Long, Registration> registrations = new ConcurrentHashMap<>();

    Files(FileDiscovery discovery) {
      this.discovery = discovery;
    }

    @Override
    public WorkerDirectory directory() {
      return discovery.workers();
    }

    @Override
    public void register(WorkerInstance instance) {
      registrations.put(
          instance.workerId(), discovery.registerWorker(ENDPOINT, instance, ModelFolder.none()));
    }

    @Override
    public void unregister(long workerId) {
      Registration registration = registrations.remove(workerId);
      if (registration != null) {
        registration.close();
      }
    }
  }
}
