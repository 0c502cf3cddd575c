// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.threads;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.PoolDispatcher;
import io.dynamo4j.kvrouter.PoolPolicy;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorStats;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.simulation.oracle.TokenChecker;
import java.time.Duration;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The simulation plays every lane on one thread; here the same classes run on four, for ten seconds
 * at most, with workers that fail and clients that leave.
 */
class RealThreadsRunTest {
  private static final Duration BOUND = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int STREAMS = 20_000;
  private static final int OPEN_AT_ONCE = 64;
  private static final int WORKERS = 6;

  private final ExecutorService pool = Executors.newFixedThreadPool(4);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final RealEnvironment threads = RealEnvironment.over(pool, timer);
  private final Queue<String> breaches = new ConcurrentLinkedQueue<>();
  private final Semaphore room = new Semaphore(OPEN_AT_ONCE);

  @AfterEach
  void stopThreads() {
    threads.close();
    pool.shutdownNow();
    timer.shutdownNow();
  }

  private Migrator<PreprocessedRequest, LLMEngineOutput> migrator() {
    Environment environment = threads.environment();
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    var plane = InMemoryRequestPlane.<PreprocessedRequest, LLMEngineOutput>create(environment);
    for (long id = 1; id <= WORKERS; id++) {
      WorkerInstance instance =
          WorkerInstance.builder(id, InMemoryRequestPlane.address("worker-" + id)).build();
      var lane = threads.lane("worker-" + id);
      plane.serve(instance, lane, new UnreliableWorker(lane, id));
      directory.register(instance);
    }
    return Migrator.builder()
        .limit(3)
        .stallTimeout(Duration.ofMillis(200))
        .adapter(ReplayAdapter.preprocessed())
        .dispatcher(
            PoolDispatcher.builder()
                .policy(PoolPolicy.ROUND_ROBIN)
                .directory(directory)
                .requestPlane(plane)
                .environment(environment)
                .build())
        .environment(environment)
        .build();
  }

  @Test
  @Tag("slow")
  @Timeout(300)
  void shouldKeepEveryStreamWholeOnRealThreads() throws InterruptedException {
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator = migrator();
    SplittableRandom random = new SplittableRandom(7);
    long start = System.nanoTime();
    int started = 0;
    while (started < STREAMS && System.nanoTime() - start < BOUND.toNanos()) {
      room.acquire();
      start(migrator, random, started++);
    }
    assertThat(room.tryAcquire(OPEN_AT_ONCE, PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .as("every client ends")
        .isTrue();
    long waitedFrom = System.nanoTime();
    while (ended(migrator) < started && System.nanoTime() - waitedFrom < PATIENCE.toNanos()) {
      Thread.onSpinWait();
    }
    migrator.close();

    MigratorStats stats = migrator.stats();
    assertThat(breaches).isEmpty();
    assertThat(ended(migrator)).as("every request ends once").isEqualTo(started);
    assertThat(stats.migrations(MigrationPhase.NEW_REQUEST)).isPositive();
    assertThat(stats.migrations(MigrationPhase.ONGOING_REQUEST)).isPositive();
    assertThat(stats.requests(MigrationEvent.Outcome.CANCELLED)).isPositive();
    assertThat(stats.requests(MigrationEvent.Outcome.COMPLETED)).isGreaterThan(started / 2);
  }

  private static long ended(Migrator<PreprocessedRequest, LLMEngineOutput> migrator) {
    MigratorStats stats = migrator.stats();
    return stats.requests(MigrationEvent.Outcome.COMPLETED)
        + stats.requests(MigrationEvent.Outcome.FAILED)
        + stats.requests(MigrationEvent.Outcome.CANCELLED);
  }

  private void start(
      Migrator<PreprocessedRequest, LLMEngineOutput> migrator,
      SplittableRandom random,
      int number) {
    int length = 1 + random.nextInt(24);
    int[] prompt = random.ints(8, 0, 1 << 16).toArray();
    PreprocessedRequest request =
        PreprocessedRequest.builder("request-" + number, TokenSlice.wrap(prompt))
            .stopConditions(StopConditions.builder().maxTokens(length).ignoreEos(true).build())
            .samplingOptions(SamplingOptions.builder().seed(number).build())
            .build();
    int leavesAt = random.nextInt(10) == 0 ? 1 + random.nextInt(length) : 0;
    migrator
        .migrate(request)
        .subscribe(
            new CheckingClient(
                TokenChecker.create(number, TokenSlice.wrap(prompt), length),
                1 + random.nextInt(8),
                leavesAt,
                breaches::add,
                room::release));
  }
}
