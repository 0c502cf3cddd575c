// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvDispatcher;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A KV-aware gateway and two workers over every pair of an event plane and a request plane. */
class PlaneMatrixTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int BLOCKS = 4;
  private static final int PROMPT = BLOCKS * MatrixWorker.BLOCK_SIZE;
  private static final BlockHasher HASHER =
      BlockHasher.of(BlockHashOptions.of(MatrixWorker.BLOCK_SIZE));

  private static NatsServerProcess nats;
  private static ZmqProxy broker;

  @BeforeAll
  static void startServers() throws Exception {
    NatsServers.requireInstalled();
    nats = NatsServerProcess.start();
    broker = new ZmqProxy();
  }

  @AfterAll
  static void stopServers() throws Exception {
    if (nats != null) {
      nats.close();
      broker.close();
    }
  }

  static Stream<Arguments> pairs() {
    return Stream.of(MatrixPlanes.Events.values())
        .flatMap(
            events ->
                Stream.of(MatrixPlanes.Requests.values())
                    .map(requests -> Arguments.of(events, requests)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void shouldFollowCachesAndContinueElsewhereWhenWorkerDies(
      MatrixPlanes.Events events, MatrixPlanes.Requests requests) throws Exception {
    try (Pair pair = new Pair(events, requests)) {
      Answer first = pair.ask("first", 30);
      assertThat(first.awaitEnd()).isNull();
      assertThat(first.tokens()).isEqualTo(counted(30));
      MatrixWorker holder = pair.one.requestCount() == 1 ? pair.one : pair.two;
      MatrixWorker other = holder == pair.one ? pair.two : pair.one;
      Awaitility.await().atMost(PATIENCE).until(() -> pair.overlap(holder.rank()) == BLOCKS);
      assertThat(pair.overlap(other.rank())).isZero();

      holder.stopAfterFirstToken();
      Answer broken = pair.ask("broken", 200);
      broken.awaitFirstItem();
      assertThat(holder.requestCount()).isEqualTo(2);
      holder.crash();
      assertThat(broken.awaitEnd()).isNull();
      assertThat(broken.tokens()).isEqualTo(counted(200));
      assertThat(broken.finishReasons()).containsExactly(FinishReason.LENGTH);
      assertThat(other.requestCount()).isEqualTo(1);
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> pair.overlap(holder.rank()) == 0 && pair.overlap(other.rank()) == BLOCKS);
    }
  }

  private static List<Integer> counted(int count) {
    return IntStream.range(PROMPT, PROMPT + count).map(i -> 1_000 + i % 1_000).boxed().toList();
  }

  /** Two workers and a gateway, each with planes of its own. */
  private static final class Pair implements AutoCloseable {
    private final int[] prompt = IntStream.range(0, PROMPT).map(i -> 300 + i * 7 % 500).toArray();
    private final Map<WorkerWithDpRank, WorkerInstance> queryTargets = new ConcurrentHashMap<>();
    private final MatrixPlanes planes;
    private final KvIndexer indexer;
    private final KvEventFeed feed;
    private final KvRouter router;
    private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
    private final MatrixWorker one;
    private final MatrixWorker two;

    Pair(MatrixPlanes.Events events, MatrixPlanes.Requests requests) throws Exception {
      MatrixPlanes.Shared shared =
          new MatrixPlanes.Shared(nats.url(), broker.brokers(), InMemoryEventChannels.create());
      InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
      planes = new MatrixPlanes(events, requests, shared);
      Environment environment = planes.environment();
      indexer =
          KvIndexer.builder().environment(environment).blockSize(MatrixWorker.BLOCK_SIZE).build();
      feed =
          KvEventFeed.builder()
              .eventPlane(planes.events(), KvFollower.GENERATE)
              .directory(directory)
              .indexer(indexer)
              .environment(environment)
              .recovery(planes.queries(), (worker, rank) -> queryTargets.get(rank))
              .connect();
      WorkerHealth health = WorkerHealth.create(environment.lanes().lane("health").clock());
      router =
          KvRouter.builder()
              .environment(environment)
              .directory(directory)
              .indexer(indexer)
              .health(health)
              .build();
      migrator =
          Migrator.builder()
              .limit(3)
              .maxSeqLen(8192)
              .adapter(ReplayAdapter.preprocessed())
              .dispatcher(
                  KvDispatcher.builder().router(router).requestPlane(planes.requests()).build())
              .health(health)
              .environment(environment)
              .build();
      one = worker(1, events, requests, shared, directory);
      two = worker(2, events, requests, shared, directory);
    }

    private MatrixWorker worker(
        long id,
        MatrixPlanes.Events events,
        MatrixPlanes.Requests requests,
        MatrixPlanes.Shared shared,
        InMemoryWorkerDirectory directory)
        throws Exception {
      return new MatrixWorker(
          id, new MatrixPlanes(events, requests, shared), directory, queryTargets);
    }

    Answer ask(String id, int maxTokens) {
      return Answer.of(
          migrator.migrate(
              PreprocessedRequest.builder(id, TokenSlice.wrap(prompt))
                  .model("tiny")
                  .stopConditions(
                      StopConditions.builder().maxTokens(maxTokens).ignoreEos(true).build())
                  .build()));
    }

    /** Returns how many blocks of the prompt the index knows a rank to hold. */
    int overlap(WorkerWithDpRank rank) {
      long[] hashes = HASHER.hash(TokenSlice.wrap(prompt));
      OverlapScores scores = OverlapScores.create();
      indexer.findMatches(hashes, hashes.length, scores);
      return KvFollower.byRank(scores).getOrDefault(rank, 0);
    }

    @Override
    public void close() {
      migrator.close();
      router.close();
      feed.close();
      indexer.close();
      one.close();
      two.close();
      planes.close();
    }
  }
}
