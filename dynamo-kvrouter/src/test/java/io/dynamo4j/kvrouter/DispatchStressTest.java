// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Many streams on real threads, a part of them cancelled from another thread at whatever moment:
 * each ends at most once and nothing stays held.
 */
class DispatchStressTest {
  private static final int REQUESTS = 3_000;
  private static final int WORKERS = 8;

  private final ExecutorService executor = Executors.newFixedThreadPool(4);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final RealEnvironment real = RealEnvironment.over(executor, timer);
  private final Environment environment = real.environment();
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> plane =
      InMemoryRequestPlane.create(environment);

  @BeforeEach
  void serve() {
    for (int id = 1; id <= WORKERS; id++) {
      WorkerInstance instance = RouterFixture.instance(id).build();
      directory.register(instance);
      plane.serve(
          instance,
          (requestId, request, sink) -> {
            for (int i = 0; i < 3; i++) {
              sink.next(LLMEngineOutput.of(TokenSlice.of(i)));
            }
            if (requestId.hashCode() % 5 == 0) {
              sink.fail(new DynamoException(ErrorType.ENGINE_SHUTDOWN, "shut down"));
            } else {
              sink.complete();
            }
          });
    }
  }

  @AfterEach
  void stop() {
    plane.close();
    real.close();
    executor.shutdownNow();
    timer.shutdownNow();
  }

  @Test
  void shouldHoldNothingWhenAllStreamsAreOver() throws InterruptedException {
    KvRouter router =
        KvRouter.builder()
            .environment(environment)
            .directory(directory)
            .indexer(new FakeIndexer(RouterFixture.BLOCK))
            .build();

    play(KvDispatcher.builder().router(router).requestPlane(plane).build());

    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldHaveNothingInFlightWhenAllStreamsAreOver() throws InterruptedException {
    PoolDispatcher<PreprocessedRequest, LLMEngineOutput> pool =
        PoolDispatcher.builder()
            .policy(PoolPolicy.LEAST_LOADED)
            .directory(directory)
            .requestPlane(plane)
            .environment(environment)
            .build();

    play(pool);

    assertThat(pool.inFlightCount()).isZero();
  }

  private void play(RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher)
      throws InterruptedException {
    RandomSource random = RandomSource.seeded(11);
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      Client client = new Client("r" + i, environment.lanes().lane("request"));
      clients.add(client);
      client.start(dispatcher);
      if (random.nextInt(3) == 0) {
        clients.get(random.nextInt(clients.size())).cancel();
      }
    }
    int completed = 0;
    int failed = 0;
    for (Client client : clients) {
      assertThat(client.over.await(30, TimeUnit.SECONDS)).isTrue();
      client.passLane();
      assertThat(client.terminals.get()).isLessThanOrEqualTo(1);
      completed += client.completed ? 1 : 0;
      failed += client.failed ? 1 : 0;
    }
    assertThat(completed).isGreaterThan(REQUESTS / 4);
    assertThat(failed).isGreaterThan(REQUESTS / 20);
    assertThat(completed + failed).isLessThan(REQUESTS);
  }

  private static final class Client implements Flow.Subscriber<LLMEngineOutput> {
    private final String id;
    private final Scheduler lane;
    final CountDownLatch over = new CountDownLatch(1);
    final AtomicInteger terminals = new AtomicInteger();
    volatile boolean completed;
    volatile boolean failed;
    private volatile Flow.@Nullable Subscription subscription;

    Client(String id, Scheduler lane) {
      this.id = id;
      this.lane = lane;
    }

    void start(RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
      dispatcher
          .dispatch(DispatchFixture.request(id), Attempt.builder(id, lane).build())
          .subscribe(this);
    }

    void cancel() {
      Flow.Subscription known = subscription;
      if (known != null) {
        known.cancel();
        over.countDown();
      }
    }

    /** Waits until whatever the lane had to do before is done. */
    void passLane() throws InterruptedException {
      CountDownLatch passed = new CountDownLatch(1);
      lane.execute(passed::countDown);
      assertThat(passed.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscription = subscription;
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      if (id.hashCode() % 7 == 0) {
        cancel();
      }
    }

    @Override
    public void onError(Throwable failure) {
      failed = true;
      terminals.incrementAndGet();
      over.countDown();
    }

    @Override
    public void onComplete() {
      completed = true;
      terminals.incrementAndGet();
      over.countDown();
    }
  }
}
