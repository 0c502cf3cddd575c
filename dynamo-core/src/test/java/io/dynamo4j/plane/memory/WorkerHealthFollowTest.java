// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.FailureVerdict;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerHealth.State;
import io.dynamo4j.plane.WorkerInstance;
import org.junit.jupiter.api.Test;

class WorkerHealthFollowTest {
  private final ManualLane lane = new ManualLane();
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final WorkerHealth health = WorkerHealth.create(lane.clock());

  private static WorkerInstance worker(long incarnation) {
    return WorkerInstance.builder(1, InMemoryRequestPlane.address("w1"))
        .incarnation(incarnation)
        .build();
  }

  private void fail() {
    health.recordFailure(WorkerWithDpRank.of(1), FailureVerdict.WORKER);
    health.drain(1);
  }

  private State state() {
    lane.run();
    return health.state(1, 0);
  }

  @Test
  void shouldForgetWorkerWhenRemovedOrReplacedAndOnlyThen() {
    directory.register(worker(1));
    try (Subscription following = health.follow(directory, lane)) {
      lane.run();
      fail();
      directory.register(worker(1));
      assertThat(state()).isEqualTo(State.DRAINING);
      directory.register(worker(2));
      assertThat(state()).isEqualTo(State.AVAILABLE);
      fail();
      directory.unregister(1);
      assertThat(state()).isEqualTo(State.AVAILABLE);
      assertThat(following).isNotNull();
    }
  }

  @Test
  void shouldStopFollowingWhenClosed() {
    Subscription following = health.follow(directory, lane);
    following.close();
    fail();
    directory.register(worker(1));
    assertThat(state()).isEqualTo(State.DRAINING);
  }
}
