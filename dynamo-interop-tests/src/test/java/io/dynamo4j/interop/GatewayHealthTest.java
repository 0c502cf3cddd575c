// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.discovery.ModelFolder;
import io.dynamo4j.examples.gateway.DynamoGateway;
import io.dynamo4j.indexer.durable.DurableKvPublisher;
import io.dynamo4j.kvrouter.HealthFinding;
import io.dynamo4j.kvrouter.HealthKind;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.PlaneSelection;
import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import io.dynamo4j.transport.nats.DurableStreamConfig;
import io.dynamo4j.transport.nats.NatsDurableLog;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that hears live events, and a worker that writes to a stream alone. */
class GatewayHealthTest {
  private static final EventScope.Endpoint ENDPOINT =
      new EventScope.Endpoint("dynamo", "backend", "generate");
  private static final WorkerWithDpRank SILENT = new WorkerWithDpRank(1, 0);

  @TempDir Path root;
  @TempDir Path storage;

  @Test
  void shouldNameWithinAMinuteWhoWritesToAStreamThatTheGatewayDoesNotRead() throws Exception {
    NatsServers.requireInstalled();
    PlaneSelection planes =
        PlaneSelection.builder().events("nats", "fleet").requests("tcp", "fleet").build();
    try (NatsServerProcess server = NatsServerProcess.startWithStorage(storage);
        JavaWorker worker = new JavaWorker(root, SILENT.workerId(), ModelFolder.none());
        RealEnvironment threads = RealEnvironment.create();
        NatsTransport transport =
            NatsTransport.create(
                threads.environment(), NatsOptions.fromEnvironment(variables(server)));
        NatsDurableLog log =
            NatsDurableLog.open(
                transport, DurableStreamConfig.builder("dynamo", "backend").build());
        DurableKvPublisher writer = DurableKvPublisher.start(SILENT, log, threads.environment());
        DynamoGateway gateway = DynamoGateway.join(planes, variables(server), root, ENDPOINT, 16)) {
      writer.publish(
          StorageTier.DEVICE,
          List.of(KvCacheEventData.Stored.atRoot(new long[] {7}, new long[] {7})));
      // The minute, and what a busy machine may add.
      Awaitility.await()
          .pollInterval(Duration.ofMillis(200))
          .atMost(Duration.ofSeconds(90))
          .until(() -> gateway.health().has(HealthKind.DURABLE_ON_ONE_SIDE));
      assertThat(gateway.health().findings(HealthKind.DURABLE_ON_ONE_SIDE))
          .extracting(HealthFinding::worker)
          .containsExactly(Optional.of(SILENT));
      assertThat(worker.requestCount()).isZero();
    }
  }

  private static Map<String, String> variables(NatsServerProcess server) {
    return Map.of("NATS_SERVER", server.url());
  }
}
