// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.testkit.simulation.Simulation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real files in virtual time: their leases are times that the test sets. */
class FileDiscoveryTest {
  private static final EventScope.Endpoint ENDPOINT =
      new EventScope.Endpoint("dynamo", "backend", "generate");
  private static final String INSTANCE_7 =
      "{\"type\":\"Endpoint\",\"component\":\"backend\",\"endpoint\":\"generate\","
          + "\"namespace\":\"dynamo\",\"instance_id\":7,"
          + "\"transport\":{\"tcp\":\"127.0.0.1:4000/7/dynamo/backend/generate\"},"
          + "\"device_type\":\"cuda\",\"request_plane_codec\":\"msgpack\"}";
  private static final String CARD_7 =
      "{\"type\":\"Model\",\"namespace\":\"dynamo\",\"component\":\"backend\","
          + "\"endpoint\":\"generate\",\"instance_id\":7,\"card_json\":{\"display_name\":\"tiny\","
          + "\"kv_cache_block_size\":16,\"runtime_config\":{\"total_kv_blocks\":1024,"
          + "\"max_num_batched_tokens\":8192,\"data_parallel_start_rank\":0,"
          + "\"data_parallel_size\":2}}}";
  private static final String NAME_7 = "dynamo%2Fbackend%2Fgenerate%2F7";

  @TempDir Path root;
  private Simulation simulation;
  private FileDiscovery discovery;

  @BeforeEach
  void start() {
    simulation =
        Simulation.builder()
            .seed(1)
            .wallStart(Instant.parse("2026-01-01T00:00:00Z"))
            .maxNanosWithoutProgress(Long.MAX_VALUE)
            .build();
    discovery = newDiscovery("reader");
  }

  @AfterEach
  void stop() {
    discovery.close();
  }

  private FileDiscovery newDiscovery(String node) {
    Environment environment = simulation.node(node).environment();
    return FileDiscovery.builder(environment, root).namespace("dynamo").build();
  }

  private Instant now() {
    return simulation.node("reader").environment().wallClock().instant();
  }

  private void pass(Duration time) {
    simulation.runFor(time.toNanos());
  }

  private Path write(String bucket, String name, String content) throws IOException {
    Path folder = root.resolve("v1").resolve(bucket);
    Files.createDirectories(folder);
    Path file = Files.writeString(folder.resolve(name), content);
    Files.setLastModifiedTime(file, FileTime.from(now()));
    return file;
  }

  private List<Long> ids() {
    return discovery.workers().instances().stream().map(WorkerInstance::workerId).toList();
  }

  @Test
  void shouldFindWorkerOnceEndpointAndCardAreThere() throws IOException {
    write("instances", NAME_7, INSTANCE_7);
    pass(Duration.ofSeconds(1));
    assertThat(ids()).isEmpty();
    assertThat(discovery.workersWithoutCard()).containsExactly(7);
    write("mdc", NAME_7, CARD_7);
    pass(Duration.ofSeconds(1));
    WorkerInstance worker = discovery.workers().instances().get(0);
    assertThat(worker.address())
        .isEqualTo(new Address("tcp+msgpack", "127.0.0.1:4000/7/dynamo/backend/generate"));
    assertThat(worker.kvBlockSize()).isEqualTo(16);
    assertThat(worker.totalKvBlocks()).isEqualTo(1024);
    assertThat(worker.maxBatchedTokens()).isEqualTo(8192);
    assertThat(worker.dpSize()).isEqualTo(2);
    assertThat(discovery.workersWithoutCard()).isEmpty();
  }

  /** One bad neighbour must neither hide the others nor end the looking. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"kv_cache_block_size\":0",
        "\"kv_cache_block_size\":-1099511627776",
        "\"kv_cache_block_size\":1e300",
        "\"kv_cache_block_size\":\"16\"",
        "\"kv_cache_block_size\":null",
        "\"runtime_config\":null",
        "\"runtime_config\":[]",
        "\"runtime_config\":{\"total_kv_blocks\":-7,\"max_num_batched_tokens\":-1}",
        "\"runtime_config\":{\"data_parallel_size\":0}",
        "\"runtime_config\":{\"data_parallel_size\":18446744073709551615}",
        "\"runtime_config\":{\"data_parallel_start_rank\":9223372036854775807}",
        "\"runtime_config\":{\"data_parallel_start_rank\":-3,\"data_parallel_size\":2}"
      })
  void shouldGoOnLookingWhenACardSaysTheImpossible(String field) throws IOException {
    write("instances", NAME_7, INSTANCE_7);
    write("mdc", NAME_7, CARD_7.replace("\"kv_cache_block_size\":16", field));
    String other = CARD_7.replaceAll("\"card_json\".*", "\"card_json\":{" + field + "}}");
    write("mdc", NAME_7.replace("%2F7", "%2F6"), other.replace(":7", ":6"));
    write("instances", NAME_7.replace("%2F7", "%2F6"), INSTANCE_7.replace(":7", ":6"));
    pass(Duration.ofSeconds(1));
    write("mdc", NAME_7.replace("%2F7", "%2F8"), CARD_7.replace(":7", ":8"));
    write("instances", NAME_7.replace("%2F7", "%2F8"), INSTANCE_7.replace(":7", ":8"));
    pass(Duration.ofSeconds(1));

    assertThat(ids()).contains(8L);
    for (WorkerInstance worker : discovery.workers().instances()) {
      assertThat(worker.kvBlockSize()).isIn((int) WorkerInstance.UNKNOWN, 16);
      assertThat(worker.totalKvBlocks()).isIn(WorkerInstance.UNKNOWN, 1024L);
      assertThat(worker.maxBatchedTokens()).isIn(WorkerInstance.UNKNOWN, 8192L);
      assertThat(worker.dpStart()).isNotNegative();
      assertThat(worker.dpSize()).isPositive();
    }
  }

  /** A rank has 32 bits: one that has more is no rank, least of all another one. */
  @Test
  void shouldRefuseASourceWhoseRankHasMoreThan32Bits() throws IOException {
    String source =
        "{\"type\":\"EventSource\",\"scope\":{\"kind\":\"namespace\",\"name\":\"dynamo\"},"
            + "\"topic\":\"kv-events\",\"publisher_id\":5,\"metadata\":{\"worker\":"
            + "{\"worker_id\":7,\"dp_rank\":RANK}}}";
    write("event_sources", "a", source.replace("RANK", "4294967296"));
    write("event_sources", "b", source.replace("RANK", "-1"));
    pass(Duration.ofSeconds(1));
    assertThat(discovery.publishersOf(WorkerWithDpRank.of(7))).isEmpty();
    assertThat(discovery.unreadableCount()).isEqualTo(2);
    write("event_sources", "a", source.replace("RANK", "0"));
    pass(Duration.ofSeconds(1));
    assertThat(discovery.publishersOf(WorkerWithDpRank.of(7))).containsExactly(5);
  }

  /** Whoever hears of a registration may wait for others that use the discovery. */
  @Test
  void shouldHoldNoLockWhileItTellsThatARecordIsWritten() throws Exception {
    CompletableFuture<Void> waited = new CompletableFuture<>();
    try (RealLanes lanes = RealLanes.pooled(2)) {
      FileDiscovery own = FileDiscovery.builder(lanes.environment(), root).build();
      WorkerInstance instance = WorkerInstance.builder(9, new Address("tcp", "a")).build();
      own.registerEndpoint(ENDPOINT, instance)
          .registered()
          .thenRun(
              () -> {
                CompletableFuture<Void> closed = new CompletableFuture<>();
                new Thread(
                        () -> {
                          own.close();
                          closed.complete(null);
                        })
                    .start();
                try {
                  closed.get(20, TimeUnit.SECONDS);
                  waited.complete(null);
                } catch (Exception e) {
                  waited.completeExceptionally(e);
                }
              });
      assertThat(waited.get(1, TimeUnit.MINUTES)).isNull();
    }
  }

  @Test
  void shouldCountWorkerDeadWhenItsFileIsTooOld() throws IOException {
    Path instance = write("instances", NAME_7, INSTANCE_7);
    write("mdc", NAME_7, CARD_7);
    pass(Duration.ofSeconds(9));
    assertThat(ids()).containsExactly(7L);
    Files.setLastModifiedTime(instance, FileTime.from(now()));
    Files.setLastModifiedTime(root.resolve("v1/mdc").resolve(NAME_7), FileTime.from(now()));
    pass(Duration.ofSeconds(9));
    assertThat(ids()).containsExactly(7L);
    pass(Duration.ofSeconds(2));
    assertThat(ids()).isEmpty();
    assertThat(instance).exists();
  }

  @Test
  void shouldTolerateRecordsThatAreHalfWritten() throws IOException {
    write("instances", NAME_7, INSTANCE_7);
    write("mdc", NAME_7, CARD_7);
    write("instances", ".tmp_0123456789abcdef", "{\"type\":\"Endp");
    write("instances", "dynamo%2Fbackend%2Fgenerate%2F8", "{\"type\":\"Endp");
    write("instances", "dynamo%2Fbackend%2Fgenerate%2F9", "");
    write("instances", "dynamo%2Fbackend%2Fgenerate%2Fa", "{\"type\":\"Later\",\"x\":1}");
    pass(Duration.ofSeconds(1));
    assertThat(ids()).containsExactly(7L);
    assertThat(discovery.unreadableCount()).isEqualTo(2);
    // A record that is being replaced keeps what it said.
    Path file = write("instances", NAME_7, INSTANCE_7.substring(0, 40));
    Files.setLastModifiedTime(file, FileTime.from(now().plusMillis(1)));
    pass(Duration.ofSeconds(1));
    assertThat(ids()).containsExactly(7L);
    write("instances", "dynamo%2Fbackend%2Fgenerate%2F8", INSTANCE_7.replace(":7,", ":8,"));
    write("mdc", "dynamo%2Fbackend%2Fgenerate%2F8", CARD_7.replace(":7,", ":8,"));
    pass(Duration.ofSeconds(1));
    assertThat(ids()).containsExactly(7L, 8L);
  }

  @Test
  void shouldLookAtItsNamespaceAndEndpointAlone() throws IOException {
    write("instances", NAME_7, INSTANCE_7);
    write("mdc", NAME_7, CARD_7);
    for (String other : List.of("\"dynamo\"|\"other\"", "\"generate\"|\"clear\"")) {
      String from = other.substring(0, other.indexOf('|'));
      String to = other.substring(other.indexOf('|') + 1);
      String name = "other" + to.hashCode();
      write("instances", name, INSTANCE_7.replace(from, to).replace(":7,", ":9,"));
      write("mdc", name, CARD_7.replace(from, to).replace(":7,", ":9,"));
    }
    pass(Duration.ofSeconds(1));
    assertThat(ids()).containsExactly(7L);
  }

  @Test
  void shouldFindEndpointsWithoutAModelWhenAskedTo() throws IOException {
    Environment environment = simulation.node("asker").environment();
    try (FileDiscovery asker =
        FileDiscovery.builder(environment, root)
            .endpoint("kv_indexer_query")
            .withoutModelCards()
            .build()) {
      write("instances", NAME_7, INSTANCE_7);
      write("mdc", NAME_7, CARD_7);
      Registration registration =
          discovery.registerEndpoint(
              new EventScope.Endpoint("dynamo", "backend", "kv_indexer_query"),
              WorkerInstance.builder(9, new Address("tcp+msgpack", "127.0.0.1:1/9")).build());
      pass(Duration.ofSeconds(1));
      assertThat(asker.workers().instances())
          .singleElement()
          .satisfies(
              server -> {
                assertThat(server.workerId()).isEqualTo(9);
                assertThat(server.address().transport()).isEqualTo("tcp+msgpack");
              });
      assertThat(asker.workersWithoutCard()).isEmpty();
      registration.close();
      pass(Duration.ofSeconds(1));
      assertThat(asker.workers().instances()).isEmpty();
    }
  }

  @Test
  void shouldBeSeenByOthersAndKeepAliveUntilClosed() throws IOException {
    FileDiscovery other = newDiscovery("worker");
    WorkerInstance instance =
        WorkerInstance.builder(-3, new Address("tcp+msgpack", "127.0.0.1:1/x"))
            .incarnation(5)
            .dpRanks(2, 4)
            .kvBlockSize(32)
            .totalKvBlocks(99)
            .maxBatchedTokens(2048)
            .build();
    Registration registration = other.registerWorker(ENDPOINT, instance, ModelFolder.none());
    pass(Duration.ofSeconds(60));
    assertThat(registration.registered().toCompletableFuture()).isCompleted();
    assertThat(ids()).containsExactly(-3L);
    WorkerInstance seen = discovery.workers().instances().get(0);
    assertThat(seen.incarnation()).isEqualTo(5);
    assertThat(seen.dpStart()).isEqualTo(2);
    assertThat(seen.dpSize()).isEqualTo(4);
    assertThat(seen.kvBlockSize()).isEqualTo(32);
    assertThat(seen.totalKvBlocks()).isEqualTo(99);
    assertThat(seen.maxBatchedTokens()).isEqualTo(2048);
    // Somebody else took it for dead.
    try (var files = Files.newDirectoryStream(root.resolve("v1/instances"))) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    pass(Duration.ofSeconds(5));
    assertThat(ids()).containsExactly(-3L);
    registration.close();
    pass(Duration.ofSeconds(1));
    assertThat(ids()).isEmpty();
    other.registerWorker(ENDPOINT, instance, ModelFolder.none());
    pass(Duration.ofSeconds(1));
    assertThat(ids()).containsExactly(-3L);
    other.close();
    pass(Duration.ofSeconds(1));
    assertThat(ids()).isEmpty();
  }

  @Test
  void shouldFindPublishersAndWhoAnswersForThem() {
    FileDiscovery other = newDiscovery("worker");
    WorkerWithDpRank rank = new WorkerWithDpRank(7, 1);
    EventChannel channel =
        new EventChannel(
            ENDPOINT, "kv-events", 0x173122eca638b2L, new Address("zmq", "tcp://127.0.0.1:9"));
    Address recovery = new Address("tcp+msgpack", "127.0.0.1:5/7/query");
    other.registerSource(
        channel,
        rank,
        new EventScope.Endpoint("dynamo", "backend", "worker_kv_query_source_173122eca638b2"),
        WorkerInstance.builder(7, recovery).build());
    pass(Duration.ofSeconds(1));
    assertThat(discovery.eventChannels().channels()).containsExactly(channel);
    assertThat(discovery.publishersOf(rank)).containsExactly(0x173122eca638b2L);
    WorkerInstance worker =
        WorkerInstance.builder(7, new Address("tcp", "127.0.0.1:4/x")).dpRanks(0, 2).build();
    WorkerInstance target =
        Objects.requireNonNull(discovery.recoveryTarget(worker, rank), "target");
    assertThat(target.address()).isEqualTo(recovery);
    assertThat(discovery.recoveryTarget(worker, new WorkerWithDpRank(7, 0))).isNull();
    other.close();
    pass(Duration.ofSeconds(1));
    assertThat(discovery.eventChannels().channels()).isEmpty();
  }

  @Test
  void shouldNameFilesOfAModelWithTheirChecksums() throws IOException {
    Path model = Files.createDirectories(root.resolve("model"));
    for (String name : List.of("config.json", "tokenizer.json", "tokenizer_config.json")) {
      Files.writeString(model.resolve(name), "{}");
    }
    discovery.registerWorker(
        ENDPOINT,
        WorkerInstance.builder(7, new Address("tcp", "127.0.0.1:1/x")).build(),
        ModelFolder.of(model, "Tiny Model"));
    pass(Duration.ofSeconds(1));
    String card = Files.readString(root.resolve("v1/mdc").resolve(NAME_7), StandardCharsets.UTF_8);
    // What b3sum prints for a file of these two bytes.
    assertThat(card)
        .contains("\"slug\":\"tiny_model\"")
        .contains("blake3:6e46dd10defc9b56c29a6ec56b508c21f54c08192194e4df25bf36f0c9c3c279")
        .contains("\"path\":\"" + model.toAbsolutePath() + "/config.json\"");
  }

  @Test
  void shouldFindFolderOfDynamosProcesses() {
    assertThat(FileDiscovery.root(Map.of("DYN_FILE_KV", "/data/kv")))
        .isEqualTo(Path.of("/data/kv"));
    assertThat(FileDiscovery.root(Map.of("TMPDIR", "/scratch")))
        .isEqualTo(Path.of("/scratch/dynamo_store_kv"));
  }
}
