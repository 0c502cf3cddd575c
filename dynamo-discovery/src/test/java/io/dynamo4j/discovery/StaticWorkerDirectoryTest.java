// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.RealLanes;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StaticWorkerDirectoryTest {
  private static final WorkerInstance ONE =
      WorkerInstance.builder(1, new Address("tcp", "127.0.0.1:1/one")).build();
  private static final WorkerInstance LAST =
      WorkerInstance.builder(-1, new Address("tcp", "127.0.0.1:2/last")).build();

  @Test
  void shouldListWorkersByUnsignedId() {
    assertThat(StaticWorkerDirectory.of(LAST, ONE).instances()).containsExactly(ONE, LAST);
  }

  @Test
  void shouldReportEveryWorkerToWatches() {
    try (RealLanes lanes = RealLanes.pooled(3)) {
      Scheduler lane = lanes.lanes().lane("watch");
      CompletableFuture<WorkerInstance> reported = new CompletableFuture<>();
      StaticWorkerDirectory.of(LAST)
          .watch(
              lane,
              new WorkerDirectory.Listener() {
                @Override
                public void added(WorkerInstance instance) {
                  reported.complete(instance);
                }

                @Override
                public void removed(WorkerInstance instance) {
                  reported.completeExceptionally(new AssertionError("removed"));
                }
              });
      lanes.await(reported);
      assertThat(reported).isCompletedWithValue(LAST);
    }
  }

  @Test
  void shouldRefuseTwoWorkersOfOneId() {
    assertThatThrownBy(() -> StaticWorkerDirectory.of(ONE, ONE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
