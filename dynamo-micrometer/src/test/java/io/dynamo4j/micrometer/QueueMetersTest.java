// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.PolicyClass;
import io.dynamo4j.kvrouter.QueueConfig;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who waits is shown by policy class, all classes from the start. */
class QueueMetersTest {
  private static final String QUEUE = "dynamo.frontend.router.queue.";

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final RouterMetrics metrics = RouterMetrics.builder(registry).model("m").build();
  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final Environment environment = simulation.environment("router");
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();

  private KvRouter router(QueueConfig queue) {
    directory.register(
        WorkerInstance.builder(1, InMemoryRequestPlane.address("worker-1"))
            .maxBatchedTokens(100)
            .build());
    KvRouter router =
        KvRouter.builder()
            .environment(environment)
            .directory(directory)
            .indexer(KvIndexer.builder().environment(environment).blockSize(4).build())
            .queue(queue)
            .listener(metrics)
            .build();
    metrics.observe(router);
    return router;
  }

  private static PolicyClass classOf(String name) {
    return PolicyClass.builder(name)
        .prefillBusyThresholdFraction(0.5)
        .requestLimitPerWorker(2)
        .build();
  }

  private void ask(KvRouter router, String id, String policyClass, int tokens) {
    var unused =
        router.select(
            SchedulingRequest.builder(id, TokenSlice.wrap(new int[tokens]))
                .routing(RoutingHints.builder().policyClass(policyClass).build())
                .build());
    simulation.runFor(1_000_000);
  }

  private double gauge(String name, String policyClass) {
    return registry.get(QUEUE + name).tag("policy_class", policyClass).gauge().value();
  }

  private double refusals(String policyClass, String reason) {
    return registry
        .get(QUEUE + "backpressure")
        .tag("policy_class", policyClass)
        .tag("reason", reason)
        .counter()
        .count();
  }

  @Test
  void shouldShowRequestsAndTokensOfEachClass() {
    KvRouter router =
        router(
            QueueConfig.builder()
                .policyClass(classOf("interactive"))
                .policyClass(classOf("batch"))
                .build());
    assertThat(gauge("pending.requests", "batch")).isZero();
    assertThat(refusals("batch", "request_limit")).isZero();

    ask(router, "running", "interactive", 80);
    ask(router, "a", "interactive", 10);
    ask(router, "b", "batch", 20);
    ask(router, "c", "batch", 30);
    ask(router, "d", "batch", 40);

    assertThat(gauge("pending.requests", "interactive")).isEqualTo(1);
    assertThat(gauge("pending.isl.tokens", "interactive")).isEqualTo(10);
    assertThat(gauge("pending.requests", "batch")).isEqualTo(2);
    assertThat(gauge("pending.isl.tokens", "batch")).isEqualTo(50);
    assertThat(gauge("pending.cached.tokens", "batch")).isZero();
    assertThat(refusals("batch", "request_limit")).isEqualTo(1);
    assertThat(refusals("interactive", "request_limit")).isZero();
    router.close();
  }

  @Test
  void shouldShowOneClassAtZeroWhereNobodyCanWait() {
    KvRouter router = router(QueueConfig.off());

    List<Meter> gauges =
        registry.getMeters().stream()
            .filter(meter -> meter.getId().getName().equals(QUEUE + "pending.requests"))
            .toList();
    assertThat(gauges).hasSize(1);
    assertThat(gauge("pending.requests", "default")).isZero();
    router.close();
  }
}
