// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RealEnvironmentTest {
  private static final long TIMEOUT_SECONDS = 20;

  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final List<ExecutorService> pools = new ArrayList<>();

  @AfterEach
  void shutDown() {
    timer.shutdownNow();
    pools.forEach(ExecutorService::shutdownNow);
  }

  private ExecutorService pool(ExecutorService pool) {
    pools.add(pool);
    return pool;
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void shouldRunOnOneNamedDaemonThreadWhenCreated() throws Exception {
    try (RealEnvironment environment = RealEnvironment.create()) {
      CompletableFuture<Thread> executed = new CompletableFuture<>();
      CompletableFuture<Thread> scheduled = new CompletableFuture<>();
      environment.lane("a").execute(() -> executed.complete(Thread.currentThread()));
      environment.lane("b").schedule(() -> scheduled.complete(Thread.currentThread()), 1);
      assertThat(get(executed).getName()).isEqualTo("dynamo4j-lanes");
      assertThat(get(executed).isDaemon()).isTrue();
      assertThat(get(scheduled)).isSameAs(get(executed));
    }
  }

  @Test
  void shouldRunAcceptedTasksAndEndItsThreadsWhenClosed() throws Exception {
    RealEnvironment environment = RealEnvironment.create();
    Scheduler lane = environment.lane("lane");
    AtomicInteger ran = new AtomicInteger();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    lane.schedule(() -> ran.addAndGet(1_000_000), TimeUnit.HOURS.toNanos(1));
    lane.execute(() -> thread.complete(Thread.currentThread()));
    for (int i = 0; i < 2000; i++) {
      lane.execute(ran::incrementAndGet);
    }
    environment.close();
    environment.close();
    assertThat(ran).hasValue(2000);
    get(thread).join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
    assertThat(get(thread).isAlive()).isFalse();
    assertThatThrownBy(() -> lane.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("lane=lane");
  }

  @Test
  void shouldNotWaitForItselfWhenClosedFromALane() throws Exception {
    RealEnvironment environment = RealEnvironment.create();
    CompletableFuture<String> closed = new CompletableFuture<>();
    environment
        .lane("lane")
        .execute(
            () -> {
              environment.close();
              closed.complete("closed");
            });
    assertThat(get(closed)).isEqualTo("closed");
  }

  @Test
  void shouldRestoreInterruptWhenInterruptedWhileClosing() {
    RealEnvironment environment = RealEnvironment.create();
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    environment
        .lane("lane")
        .execute(
            () -> {
              try {
                release.await();
              } catch (InterruptedException e) {
                interrupted.complete(true);
              }
            });
    Thread.currentThread().interrupt();
    environment.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(interrupted.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join()).isTrue();
  }

  @Test
  void shouldLeaveTheCallersThreadsAloneWhenClosed() {
    ExecutorService pool = pool(Executors.newFixedThreadPool(1));
    RealEnvironment environment = RealEnvironment.over(pool, timer);
    Scheduler lane = environment.lane("lane");
    environment.close();
    assertThat(pool.isShutdown()).isFalse();
    assertThat(timer.isShutdown()).isFalse();
    assertThatThrownBy(() -> lane.schedule(() -> {}, 1))
        .isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void shouldDropPendingTimersWhenClosedOverTheCallersThreads() throws Exception {
    ExecutorService pool = pool(Executors.newFixedThreadPool(1));
    RealEnvironment environment = RealEnvironment.over(pool, timer);
    AtomicInteger ran = new AtomicInteger();
    CompletableFuture<Void> held = new CompletableFuture<>();
    timer.execute(held::join);
    Cancellable handle = environment.lane("lane").schedule(ran::incrementAndGet, 2_000_000);
    environment.close();
    held.complete(null);
    CompletableFuture<Void> later = new CompletableFuture<>();
    var unused = timer.schedule(() -> later.complete(null), 10, TimeUnit.MILLISECONDS);
    get(later);
    assertThat(ran).hasValue(0);
    assertThat(handle.cancel()).isFalse();
  }

  @Test
  void shouldTellTheThreadsUncaughtHandlerWhenTaskThrowsAndNoHandlerIsGiven() throws Exception {
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    ExecutorService pool =
        pool(
            Executors.newFixedThreadPool(
                1,
                task -> {
                  Thread thread = new Thread(task);
                  thread.setUncaughtExceptionHandler((where, thrown) -> told.complete(thrown));
                  return thread;
                }));
    try (RealEnvironment environment = RealEnvironment.over(pool, timer)) {
      environment
          .lane("lane")
          .execute(
              () -> {
                throw new IllegalStateException("boom");
              });
      assertThat(get(told)).hasMessage("boom");
    }
  }

  @Test
  void shouldGoOnWhenTheFailureHandlerThrows() throws Exception {
    List<String> lanes = new ArrayList<>();
    try (RealEnvironment environment =
        RealEnvironment.create(
            (lane, thrown) -> {
              lanes.add(lane);
              throw new IllegalStateException("handler");
            })) {
      Scheduler lane = environment.lane("named");
      CompletableFuture<Void> next = new CompletableFuture<>();
      lane.execute(
          () -> {
            throw new IllegalStateException("task");
          });
      lane.execute(() -> next.complete(null));
      get(next);
      assertThat(lanes).containsExactly("named");
    }
  }

  @Test
  void shouldShareTheThreadFairlyWhenOneLaneIsBusy() throws Exception {
    try (RealEnvironment environment = RealEnvironment.create()) {
      Scheduler busy = environment.lane("busy");
      Scheduler other = environment.lane("other");
      AtomicInteger done = new AtomicInteger();
      CompletableFuture<Integer> seenByOther = new CompletableFuture<>();
      busy.execute(
          () -> {
            for (int i = 0; i < 10_000; i++) {
              busy.execute(done::incrementAndGet);
            }
            other.execute(() -> seenByOther.complete(done.get()));
          });
      assertThat(get(seenByOther)).isLessThan(256);
    }
  }

  @Test
  void shouldKeepTasksInOrderAndRunThemWhenTheExecutorIsFullForAWhile() throws Exception {
    ThreadPoolExecutor full =
        new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>());
    pool(full);
    CountDownLatch release = new CountDownLatch(1);
    full.execute(() -> awaitQuietly(release));
    try (RealEnvironment environment = RealEnvironment.over(full, timer)) {
      Scheduler lane = environment.lane("lane");
      List<Integer> ran = new ArrayList<>();
      CompletableFuture<List<Integer>> all = new CompletableFuture<>();
      lane.execute(() -> ran.add(1));
      lane.execute(() -> ran.add(2));
      lane.execute(() -> all.complete(List.copyOf(ran)));
      assertThat(all).isNotDone();
      release.countDown();
      assertThat(get(all)).containsExactly(1, 2);
    }
  }

  @Test
  void shouldRunAcceptedTasksWhenClosedWhileTheExecutorRefuses() throws Exception {
    AtomicInteger refusals = new AtomicInteger(3);
    ExecutorService pool = pool(Executors.newFixedThreadPool(1));
    RealEnvironment environment = RealEnvironment.over(refusing(refusals, pool), timer);
    CompletableFuture<Void> ran = new CompletableFuture<>();
    environment.lane("lane").execute(() -> ran.complete(null));
    environment.close();
    get(ran);
    assertThat(refusals).hasValue(0);
  }

  @Test
  void shouldGiveUpAfterTheCloseWhenTheExecutorRefusesForEver() throws Exception {
    List<Runnable> due = new ArrayList<>();
    ScheduledThreadPoolExecutor byHand =
        new ScheduledThreadPoolExecutor(1) {
          @Override
          public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            due.add(task);
            return super.schedule(() -> {}, 0, unit);
          }
        };
    pool(byHand);
    AtomicInteger refusals = new AtomicInteger(Integer.MAX_VALUE);
    RealEnvironment environment = RealEnvironment.over(refusing(refusals, byHand), byHand);
    environment.lane("lane").execute(() -> {});
    for (int i = 0; i < 1_000; i++) {
      due.remove(0).run();
      assertThat(due).as("an open lane tries for ever").hasSize(1);
    }
    environment.close();
    int tries = 0;
    while (!due.isEmpty() && tries < 1_000) {
      due.remove(0).run();
      tries++;
    }
    assertThat(tries).isBetween(50, 200);
  }

  @Test
  void shouldBeClosedWhenTheCallersExecutorIsShutDown() {
    ExecutorService pool = pool(Executors.newFixedThreadPool(1));
    RealEnvironment environment = RealEnvironment.over(pool, timer);
    Scheduler lane = environment.lane("lane");
    pool.shutdown();
    assertThatThrownBy(() -> lane.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("lane=lane");
    assertThatThrownBy(() -> lane.schedule(() -> {}, 1))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(timer.getQueue()).isEmpty();
  }

  @Test
  void shouldRefuseTheTaskWhenTheExecutorIsFullAndTheTimerIsShutDown() {
    AtomicInteger refusals = new AtomicInteger(1);
    RealEnvironment environment =
        RealEnvironment.over(refusing(refusals, pool(Executors.newFixedThreadPool(1))), timer);
    timer.shutdown();
    assertThatThrownBy(() -> environment.lane("lane").execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
  }

  private static Executor refusing(AtomicInteger refusals, Executor executor) {
    return task -> {
      if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new RejectedExecutionException("full for a moment");
      }
      executor.execute(task);
    };
  }

  @Test
  void shouldRunEveryTaskWhenManyThreadsMeetAFullExecutor() throws Exception {
    ThreadPoolExecutor tiny =
        new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>());
    pool(tiny);
    ExecutorService senders = pool(Executors.newFixedThreadPool(3));
    try (RealEnvironment environment = RealEnvironment.over(tiny, timer)) {
      List<Scheduler> lanes = List.of(environment.lane("a"), environment.lane("b"));
      AtomicInteger ran = new AtomicInteger();
      List<CompletableFuture<Void>> sending = new ArrayList<>();
      for (int sender = 0; sender < 3; sender++) {
        sending.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < 20_000; i++) {
                    lanes.get(i % 2).execute(ran::incrementAndGet);
                  }
                },
                senders));
      }
      get(CompletableFuture.allOf(sending.toArray(new CompletableFuture<?>[0])));
      CompletableFuture<Void> settled = new CompletableFuture<>();
      awaitCount(ran, 60_000, settled, 10_000);
      get(settled);
      assertThat(ran).hasValue(60_000);
    }
  }

  private void awaitCount(
      AtomicInteger ran, int count, CompletableFuture<Void> settled, int triesLeft) {
    if (ran.get() == count || triesLeft == 0) {
      settled.complete(null);
    } else {
      var unused =
          timer.schedule(
              () -> awaitCount(ran, count, settled, triesLeft - 1), 1, TimeUnit.MILLISECONDS);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void shouldGiveEveryEnvironmentItsOwnChance() {
    try (RealEnvironment first = RealEnvironment.create();
        RealEnvironment second = RealEnvironment.create()) {
      assertThat(first.environment().random().nextLong())
          .isNotEqualTo(second.environment().random().nextLong());
      assertThat(first.environment().lanes()).isSameAs(first);
    }
  }

  @Test
  void shouldTellThatItClosedOnceAndWithoutAThreadOfItsOwn() {
    RealEnvironment environment = RealEnvironment.create();
    List<String> told = new ArrayList<>();
    environment.onClose(() -> told.add("first"));
    environment.onClose(() -> told.add("second"));
    Cancellable withdrawn = environment.onClose(() -> told.add("withdrawn"));
    assertThat(withdrawn.cancel()).isTrue();
    assertThat(withdrawn.cancel()).isFalse();

    environment.close();
    environment.close();
    environment.onClose(() -> told.add("late"));

    assertThat(told).containsExactly("first", "second", "late");
  }

  @Test
  void shouldTellTheOthersThoughOneThrows() {
    List<String> failed = new ArrayList<>();
    RealEnvironment environment =
        RealEnvironment.create(
            (lane, thrown) -> {
              failed.add(lane + ": " + thrown.getMessage());
              throw new IllegalStateException("handler");
            });
    List<String> told = new ArrayList<>();
    environment.onClose(
        () -> {
          throw new IllegalStateException("planted");
        });
    environment.onClose(() -> told.add("second"));

    environment.close();

    assertThat(told).containsExactly("second");
    assertThat(failed).containsExactly("close: planted");
  }

  @Test
  void shouldNoticeByItsTimerThatTheCallersExecutorWasShutDown() throws Exception {
    CompletableFuture<String> told = new CompletableFuture<>();
    ExecutorService executor = pool(Executors.newFixedThreadPool(1));
    RealEnvironment environment = RealEnvironment.over(executor, timer);
    environment.onClose(() -> told.complete("noticed"));
    CountDownLatch shutDown = new CountDownLatch(1);
    timer.execute(() -> await(shutDown));
    environment.lane("lane").schedule(() -> told.complete("ran"), 0);
    executor.shutdown();
    shutDown.countDown();

    assertThat(get(told)).isEqualTo("noticed");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
