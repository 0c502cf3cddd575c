// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A host that closes what a router runs on before the router: nobody waits for ever. */
class ClosedEnvironmentTest {
  private static final long TIMEOUT_SECONDS = 20;

  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final ExecutorService executor = Executors.newFixedThreadPool(1);
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

  ClosedEnvironmentTest() {
    directory.register(RouterFixture.instance(1).build());
  }

  @AfterEach
  void endThreads() {
    executor.shutdownNow();
    timer.shutdownNow();
  }

  /** One prompt at a time; the first to ask has the worker. */
  private KvRouter router(Environment environment) {
    return KvRouter.builder()
        .environment(environment)
        .directory(directory)
        .indexer(new FakeIndexer(RouterFixture.BLOCK))
        .queue(
            QueueConfig.builder()
                .policyClass(PolicyClass.builder("default").prefillBusyThreshold(0).build())
                .build())
        .build();
  }

  private static CompletableFuture<RequestLease> ask(KvRouter router, String id) {
    return router
        .select(request(id, tokens(id.hashCode() & 0xffff, 8)))
        .toCompletableFuture()
        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private static List<CompletableFuture<RequestLease>> waiters(KvRouter router, Runnable settle) {
    ask(router, "first").join();
    List<CompletableFuture<RequestLease>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(ask(router, "waiting-" + i));
    }
    settle.run();
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    return waiting;
  }

  private static void assertClosed(CompletableFuture<RequestLease> stage) {
    assertThatThrownBy(stage::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.CLOSED));
  }

  @Test
  void shouldFailWhoeverWaitsWhenTheEnvironmentIsClosedFirst() {
    RealEnvironment environment = RealEnvironment.create();
    KvRouter router = router(environment.environment());
    List<CompletableFuture<RequestLease>> waiting = waiters(router, () -> onLane(environment));

    environment.close();

    assertThat(waiting).allMatch(CompletableFuture::isDone);
    waiting.forEach(ClosedEnvironmentTest::assertClosed);
    assertThat(router.queueStatus().requests()).isZero();
    assertThat(router.bookingCount()).isEqualTo(1);
    CompletableFuture<RequestLease> late = ask(router, "late");
    assertThat(late).isDone();
    assertClosed(late);
    router.close();
  }

  /** Waits until everything that was handed to lanes has run. */
  private static void onLane(RealEnvironment environment) {
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    environment.lane("settle").execute(() -> ran.complete(true));
    ran.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
  }

  @Test
  void shouldNoticeThatTheHostsExecutorIsShutDown() {
    RealEnvironment environment = RealEnvironment.over(executor, timer);
    List<CompletableFuture<RequestLease>> waiting =
        waiters(router(environment.environment()), () -> onLane(environment));

    executor.shutdown();

    waiting.forEach(ClosedEnvironmentTest::assertClosed);
  }

  @Test
  void shouldFailWhoeverWaitsAtTheNextCallWhereNothingIsLeftToNotice() {
    for (int call = 0; call < 4; call++) {
      ExecutorService lanes = Executors.newFixedThreadPool(1);
      ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
      RealEnvironment environment = RealEnvironment.over(lanes, timers);
      KvRouter router = router(environment.environment());
      RequestLease first = ask(router, "held").join();
      CompletableFuture<RequestLease> waiting = ask(router, "waiting");
      onLane(environment);
      timers.shutdownNow();
      lanes.shutdownNow();

      switch (call) {
        case 0 -> first.close();
        case 1 -> router.close();
        case 2 -> router.cancel(new BookingKey("other", 0));
        default -> assertClosed(ask(router, "late"));
      }

      assertThat(waiting).as("call %s", call).isDone();
      assertClosed(waiting);
    }
  }

  @Test
  void shouldKeepNoRouterThatIsClosedAlive() {
    RealEnvironment environment = RealEnvironment.create();
    KvRouter router = router(environment.environment());
    List<CompletableFuture<RequestLease>> waiting = waiters(router, () -> onLane(environment));
    router.close();
    waiting.forEach(ClosedEnvironmentTest::assertClosed);

    environment.close();
    router.close();
  }

  @Test
  void shouldFailWhoeverWaitsForAnIndexElsewhere() {
    RemoteSelections selections = new RemoteSelections();
    BookingKey key = new BookingKey("a", 0);
    CompletableFuture<RequestLease> first = neverLookedUp(selections, key);
    CompletableFuture<RequestLease> sameKey = neverLookedUp(selections, key);

    selections.abandon();

    assertClosed(first);
    assertClosed(sameKey);
    assertClosed(neverLookedUp(selections, key));
    assertThat(selections.count()).isZero();
  }

  private static CompletableFuture<RequestLease> neverLookedUp(
      RemoteSelections selections, BookingKey key) {
    return selections
        .select(key, new CompletableFuture<>(), prompt -> new CompletableFuture<>())
        .toCompletableFuture()
        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void shouldFailWhoseChoiceThrowsOnceTheIndexHasAnswered() {
    RemoteSelections selections = new RemoteSelections();
    AssertionError planted = new AssertionError("planted");
    CompletableFuture<RequestLease> asked =
        selections
            .select(
                new BookingKey("a", 0),
                CompletableFuture.completedFuture(new Prompt()),
                prompt -> {
                  throw planted;
                })
            .toCompletableFuture()
            .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);

    assertThatThrownBy(asked::join).hasCause(planted);
  }
}
