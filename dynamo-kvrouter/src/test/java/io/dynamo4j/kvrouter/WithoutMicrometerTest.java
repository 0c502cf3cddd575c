// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nothing of a router needs the library that meters it. */
class WithoutMicrometerTest {
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");

  @Test
  void shouldRouteListenAndCheckHealthWhereMicrometerIsAbsent() {
    assertThatThrownBy(() -> Class.forName("io.micrometer.core.instrument.MeterRegistry"))
        .isInstanceOf(ClassNotFoundException.class);
    Simulation simulation = Simulation.builder().seed(1).build();
    Environment environment = simulation.environment("router");
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    directory.register(RouterFixture.instance(1).build());
    InMemoryEventPlane plane = InMemoryEventPlane.create(environment);
    List<RoutingEvent> heard = new ArrayList<>();
    try (KvIndexer index = KvIndexer.builder().environment(environment).blockSize(4).build();
        KvEventFeed feed = KvEventFeed.connect(plane, SCOPE, directory, index, environment);
        KvRouter router =
            KvRouter.builder()
                .environment(environment)
                .directory(directory)
                .indexer(index)
                .eventFeed(feed)
                .replicaSync(plane, SCOPE)
                .queue(QueueConfig.ofThreshold(0.5, QueuePolicy.FCFS))
                .listener(heard::add)
                .build()) {
      router
          .select(SchedulingRequest.builder("r", RouterFixture.tokens(0, 16)).build())
          .thenAccept(RequestLease::close);
      simulation.runFor(60_000_000_000L);

      assertThat(heard).hasSize(2);
      assertThat(router.health().status()).isEqualTo(RouterHealth.Status.HEALTHY);
      assertThat(feed.status().heldEvents()).isZero();
    }
  }
}
