// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.dynamo4j.plane.PlaneSelection;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our index and those of Dynamo's own routers over the events of the same workers. */
class RemoteIndexIT {
  private static final int CONVERSATIONS = 40;
  private static final int BLOCKS = 10;
  private static final int PROMPTS = 1_000;

  @TempDir Path work;

  private final RandomSource random = RandomSource.seeded(20_261_130);

  @ParameterizedTest
  @CsvSource({"zmq, tcp", "nats, nats"})
  void shouldSayWhatTheIndexesOfTwoDynamoRoutersSay(String events, String requests)
      throws Exception {
    PlaneSelection planes =
        PlaneSelection.builder().events(events, "fleet").requests(requests, "fleet").build();
    String[] options = {
      "--workers",
      "3",
      "--dp",
      "2",
      "--frontends",
      "2",
      "--frontend-args",
      "--serve-indexer --model-name tiny",
      "--event-plane",
      events,
      "--request-plane",
      requests
    };
    try (Fleet fleet = Fleet.start(work, options);
        KvFollower follower = new KvFollower(fleet.root(), planes, fleet.variables());
        FileDiscovery servers = queryEndpoints(follower, fleet.root())) {
      follower.awaitWorkers(3);
      fill(follower);
      awaitServers(servers.workers(), 2);
      RemoteIndex remote = remote(follower, servers.workers());
      awaitSameEvents(follower, remote);

      int overlapping = 0;
      for (int i = 0; i < PROMPTS; i++) {
        long[] hashes = KvFollower.hashes(prompt(i % CONVERSATIONS, 1 + random.nextInt(BLOCKS)));
        if (random.nextInt(4) == 0) {
          hashes[random.nextInt(hashes.length)]++;
        }
        SortedMap<WorkerWithDpRank, Integer> ours = follower.overlap(hashes);
        // In turn: one query to each of the two routers.
        assertThat(asked(remote, hashes)).as("prompt %d", i).isEqualTo(ours);
        assertThat(asked(remote, hashes)).as("prompt %d", i).isEqualTo(ours);
        overlapping += workers(ours) >= 2 ? 1 : 0;
      }
      assertThat(overlapping).isGreaterThanOrEqualTo(PROMPTS * 3 / 10);
      assertThat(remote.retries()).isZero();

      fleet.frontend("kill", 0);
      for (int i = 0; i < 100; i++) {
        long[] hashes = KvFollower.hashes(prompt(i % CONVERSATIONS, BLOCKS));
        assertThat(asked(remote, hashes)).isEqualTo(follower.overlap(hashes));
      }
      assertThat(remote.failures()).isZero();
    }
  }

  private static FileDiscovery queryEndpoints(KvFollower follower, Path root) {
    return FileDiscovery.builder(follower.environment(), root)
        .namespace(KvFollower.GENERATE.namespace())
        .component(KvFollower.GENERATE.component())
        .endpoint("kv_indexer_query")
        .withoutModelCards()
        .scanInterval(Duration.ofMillis(100))
        .build();
  }

  private static void awaitServers(WorkerDirectory servers, int count) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> servers.instances().size() == count);
  }

  /** Waits until both routers have seen the events that we have seen. */
  private static void awaitSameEvents(KvFollower follower, RemoteIndex remote) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              for (int i = 0; i < 2 * CONVERSATIONS; i++) {
                long[] hashes = KvFollower.hashes(prompt(i / 2, BLOCKS));
                assertThat(asked(remote, hashes)).isEqualTo(follower.overlap(hashes));
              }
            });
  }

  private static RemoteIndex remote(KvFollower follower, WorkerDirectory servers) {
    return RemoteIndex.of(
        follower.queries(), servers, "tiny", follower.environment(), Duration.ofSeconds(20));
  }

  private static SortedMap<WorkerWithDpRank, Integer> asked(RemoteIndex remote, long[] hashes)
      throws Exception {
    TieredOverlap found =
        remote.findMatches(hashes).toCompletableFuture().get(60, TimeUnit.SECONDS);
    return KvFollower.byRank(found.device());
  }

  private static long workers(SortedMap<WorkerWithDpRank, Integer> overlap) {
    return overlap.keySet().stream().mapToLong(WorkerWithDpRank::workerId).distinct().count();
  }

  /** Lets two workers or all three serve each conversation, to different lengths. */
  private void fill(KvFollower follower) throws Exception {
    List<WorkerInstance> workers = follower.discovery().workers().instances();
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < CONVERSATIONS; i++) {
      for (int copy = 0; copy < 2 + i % 2; copy++) {
        WorkerInstance worker = workers.get((i + copy) % workers.size());
        int[] prompt = prompt(i, BLOCKS - 3 * copy);
        answers.add(follower.send(worker, "fill-" + i + "-" + copy, prompt, 4));
      }
    }
    for (Answer answer : answers) {
      assertThat(answer.awaitEnd()).isNull();
    }
    follower.awaitEqualToDumps();
  }

  private static int[] prompt(int conversation, int blocks) {
    int[] prompt = new int[blocks * KvFollower.BLOCK_SIZE];
    Arrays.setAll(prompt, i -> 300 + (conversation * 131 + i * 7 + i / 97) % 600);
    return prompt;
  }
}
