// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.indexer.remote.IndexService;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.dynamo4j.indexer.snapshot.IndexSnapshots;
import io.dynamo4j.indexer.snapshot.JsonDump;
import io.dynamo4j.indexer.snapshot.SnapshotSummary;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a recorded router dumped, through our index, its snapshot and its service. */
class RecordedDumpTest {
  private static final int BLOCK_SIZE = 4;

  private final Simulation simulation = Simulation.builder().seed(1).build();

  private KvIndexer index() {
    return KvIndexer.builder()
        .environment(simulation.environment("router"))
        .blockSize(BLOCK_SIZE)
        .build();
  }

  @Test
  void shouldFindWhatTheRecordedRouterDumpedAfterASnapshotAndFromAfar() throws IOException {
    JsonNode content =
        new ObjectMapper().readTree(SharedData.golden("router/approx-lru-big.json").toFile());
    JsonNode steps = content.path("steps");
    String dump = steps.get(steps.size() - 1).path("result").toString().replace("\"w0\"", "7");
    KvIndexer first = index();
    JsonDump.read(dump.getBytes(StandardCharsets.UTF_8)).forEach(first::submit);
    ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
    SnapshotSummary written = simulation.await(IndexSnapshots.write(first, snapshot));
    assertThat(written.blocks()).isEqualTo(4);
    KvIndexer second = index();
    simulation.await(
        IndexSnapshots.load(second, () -> new ByteArrayInputStream(snapshot.toByteArray())));

    InMemoryRequestPlane<byte[], byte[]> plane =
        InMemoryRequestPlane.create(simulation.environment("network"));
    InMemoryWorkerDirectory servers = InMemoryWorkerDirectory.create();
    WorkerInstance endpoint =
        WorkerInstance.builder(1, InMemoryRequestPlane.address("index")).build();
    servers.register(endpoint);
    try (IndexService service = IndexService.serve(plane, endpoint, servers)) {
      service.add("model", second);
      RemoteIndex remote =
          RemoteIndex.of(
              plane,
              servers,
              "model",
              simulation.environment("consumer"),
              RemoteIndex.DEFAULT_TIMEOUT);
      long[] locals = BlockHasher.of(BlockHashOptions.of(BLOCK_SIZE)).hash(Prompts.tokens(500, 16));
      TieredOverlap found = simulation.await(remote.findMatches(locals));
      assertThat(found.device().depthOf(WorkerWithDpRank.of(7))).isEqualTo(4);
    }
  }
}
