// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.pinned;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingHints;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class KvRouterTest {

  @Test
  void shouldPreferTheWorkerThatHoldsThePrefix() {
    RouterFixture fixture = new RouterFixture(4);
    fixture.indexer.hold(worker(3), 3);

    RequestLease lease = fixture.router().trySelect(request("r", tokens(0, 16)));

    assertThat(lease.worker()).isEqualTo(worker(3));
    assertThat(lease.instance().workerId()).isEqualTo(3);
    assertThat(lease.selection())
        .isEqualTo(new WorkerSelectionResult(worker(3), 4, 3.0, 12, 4, 1 + 4));
  }

  @Test
  void shouldBookWhatIsNotCachedUntilTheFirstTokenAndBlocksUntilTheEnd() {
    RouterFixture fixture = new RouterFixture(1);
    fixture.indexer.hold(worker(1), 3);
    KvRouter router = fixture.router();

    RequestLease lease = router.trySelect(request("r", tokens(0, 18)));
    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(6, 4, 1));
    lease.markPrefillCompleted();
    lease.markPrefillCompleted();
    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(0, 4, 1));
    lease.close();
    lease.close();
    lease.markPrefillCompleted();
    assertThat(router.load(worker(1))).isEqualTo(WorkerLoad.NONE);
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldSendTheNextEqualPromptElsewhere() {
    RouterFixture fixture = new RouterFixture(2);
    KvRouter router = fixture.router();

    RequestLease first = router.trySelect(request("a", tokens(0, 16)));
    RequestLease second = router.trySelect(request("b", tokens(0, 16)));

    assertThat(second.worker()).isNotEqualTo(first.worker());
  }

  @Test
  void shouldSpreadABurstOfEqualPromptsFromManyThreads() throws InterruptedException {
    RouterFixture fixture = new RouterFixture(64);
    KvRouter router = fixture.router();
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      String prefix = "t" + t + "-";
      Thread thread =
          new Thread(
              () -> {
                awaitQuietly(start);
                for (int i = 0; i < 125; i++) {
                  router.trySelect(request(prefix + i, tokens(0, 64)));
                }
              });
      thread.start();
      threads.add(thread);
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(router.bookingCount()).isEqualTo(1_000);
    for (int id = 1; id <= 64; id++) {
      // 15.6 on average.
      assertThat(router.load(worker(id)).requests()).isBetween(8, 31);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void shouldDrawTiesUniformly() {
    RouterFixture fixture = new RouterFixture(4);
    KvRouter router = fixture.router();
    int[] counts = new int[5];
    for (int i = 0; i < 4_000; i++) {
      try (RequestLease lease = router.trySelect(request("r" + i, tokens(0, 16)))) {
        counts[(int) lease.worker().workerId()]++;
      }
    }

    for (int id = 1; id <= 4; id++) {
      assertThat(counts[id]).isBetween(880, 1_120);
    }
  }

  @Test
  void shouldTellTwoAttemptsOfOneRequestApart() {
    KvRouter router = new RouterFixture(1).router();
    RequestLease first = router.trySelect(request("r", tokens(0, 16)));
    RequestLease second =
        router.trySelect(SchedulingRequest.builder("r", tokens(0, 16)).attempt(1).build());

    first.close();

    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(16, 4, 1));
    second.close();
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldRefuseAnAttemptThatIsBooked() {
    KvRouter router = new RouterFixture(2).router();
    RequestLease lease = router.trySelect(request("r", tokens(0, 16)));

    assertThatThrownBy(() -> router.trySelect(request("r", tokens(50, 16))))
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.DUPLICATE_REQUEST));
    assertThat(router.bookingCount()).isEqualTo(1);
    lease.close();
    router.trySelect(request("r", tokens(0, 16)));
    assertThat(router.bookingCount()).isEqualTo(1);
  }

  @Test
  void shouldRouteAndBookAPromptShorterThanABlock() {
    KvRouter router = new RouterFixture(1).router();

    RequestLease lease = router.trySelect(request("r", tokens(0, 3)));
    RequestLease empty = router.trySelect(request("e", tokens(0, 0)));

    assertThat(lease.selection().requiredBlocks()).isEqualTo(1);
    assertThat(empty.selection().requiredBlocks()).isZero();
    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(3, 0, 2));
  }

  @Test
  void shouldDropTheBookingsOfAWorkerThatLeaves() {
    RouterFixture fixture = new RouterFixture(2);
    KvRouter router = fixture.router();
    RequestLease lost = router.trySelect(pinned("a", tokens(0, 16), worker(1)));
    router.trySelect(pinned("b", tokens(0, 16), worker(2)));

    fixture.directory.unregister(1);

    assertThat(router.bookingCount()).isEqualTo(1);
    fixture.register(1, 7);
    assertThat(router.load(worker(1))).isEqualTo(WorkerLoad.NONE);
    lost.markPrefillCompleted();
    lost.close();
    assertThat(router.bookingCount()).isEqualTo(1);
  }

  @Test
  void shouldDropTheBookingsOfAnEarlierIncarnationOnly() {
    RouterFixture fixture = new RouterFixture(1);
    KvRouter router = fixture.router();
    RequestLease old = router.trySelect(request("a", tokens(0, 16)));

    fixture.register(1, 1);
    router.trySelect(request("b", tokens(0, 8)));
    old.close();

    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(8, 2, 1));
  }

  @Test
  void shouldNotShareBlocksBetweenNamespacesOrAdapters() {
    KvRouter router = new RouterFixture(1).router();
    RoutingHints salted = RoutingHints.builder().cacheNamespace("tenant").build();
    RoutingHints adapted = RoutingHints.builder().loraName("adapter").build();

    router.trySelect(request("base", tokens(0, 16)));
    router.trySelect(request("same", tokens(0, 16)));
    assertThat(router.load(worker(1)).blocks()).isEqualTo(4);
    router.trySelect(SchedulingRequest.builder("s", tokens(0, 16)).routing(salted).build());
    assertThat(router.load(worker(1)).blocks()).isEqualTo(8);
    router.trySelect(SchedulingRequest.builder("a", tokens(0, 16)).routing(adapted).build());
    assertThat(router.load(worker(1)).blocks()).isEqualTo(12);
  }

  @Test
  void shouldNeverAskAnIndexWithoutCredit() {
    RouterFixture fixture = new RouterFixture(2);
    fixture.indexer.hold(worker(1), 4);
    KvRouter router =
        fixture.builder().config(KvRouterConfig.builder().overlapScoreCredit(0).build()).build();

    RequestLease lease = router.trySelect(pinned("r", tokens(0, 16), worker(1)));

    assertThat(fixture.indexer.lookups()).isZero();
    assertThat(lease.selection().cachedTokens()).isZero();
    assertThat(router.load(worker(1)).prefillTokens()).isEqualTo(16);
  }

  @Test
  void shouldNeedNoIndexAndShareNoBlocksWhenLoadAware() {
    RouterFixture fixture = new RouterFixture(1);
    KvRouter router =
        KvRouter.builder()
            .environment(RouterFixture.environment(1))
            .directory(fixture.directory)
            .config(KvRouterConfig.loadAware())
            .blockSize(4)
            .build();

    RequestLease first = router.trySelect(request("a", tokens(0, 16)));
    router.trySelect(request("b", tokens(0, 16)));

    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(32, 8, 2));
    first.close();
    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(16, 4, 1));
  }

  @Test
  void shouldCountNoBlocksWhenTheyAreNotTracked() {
    KvRouterConfig config = KvRouterConfig.builder().routerTrackActiveBlocks(false).build();
    KvRouter router = new RouterFixture(1).builder().config(config).build();

    router.trySelect(request("a", tokens(0, 16)));

    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(16, 0, 1));
  }

  @Test
  void shouldCountNoPromptTokensWhenTheyAreNotTracked() {
    KvRouterConfig config = KvRouterConfig.builder().routerTrackPrefillTokens(false).build();
    KvRouter router = new RouterFixture(1).builder().config(config).build();

    router.trySelect(request("a", tokens(0, 16)));

    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(0, 4, 1));
  }

  @Test
  void shouldAddABlockWheneverTheAnswerBeginsOne() {
    assertThat(blocksAfter(-1, 3, 4, 4)).containsExactly(5L, 6L, 7L);
    assertThat(blocksAfter(-1, 2)).containsExactly(4L);
    assertThat(blocksAfter(-1, 9)).containsExactly(6L);
  }

  @Test
  void shouldWeighAnAnswerOfKnownLengthLessTowardsItsEnd() {
    assertThat(blocksAfter(14, 3, 4, 4)).containsExactly(4L, 3L, 2L);
    assertThat(blocksAfter(8, 3, 4, 4)).containsExactly(3L, 1L, 0L);
  }

  /** Returns the blocks of a worker with one request of 18 tokens after each piece of answer. */
  private static List<Long> blocksAfter(long expectedTokens, int... pieces) {
    KvRouterConfig config = KvRouterConfig.builder().routerTrackOutputBlocks(true).build();
    KvRouter router = new RouterFixture(1).builder().config(config).build();
    RoutingHints hints = RoutingHints.builder().expectedOutputTokens(expectedTokens).build();
    RequestLease lease =
        router.trySelect(SchedulingRequest.builder("r", tokens(0, 18)).routing(hints).build());
    List<Long> blocks = new ArrayList<>();
    for (int piece : pieces) {
      lease.addOutputTokens(piece);
      blocks.add(router.load(worker(1)).blocks());
    }
    lease.close();
    lease.addOutputTokens(100);
    assertThat(router.load(worker(1))).isEqualTo(WorkerLoad.NONE);
    return blocks;
  }

  @Test
  void shouldIgnoreOutputUnlessItIsTracked() {
    KvRouter router = new RouterFixture(1).router();
    RequestLease lease = router.trySelect(request("r", tokens(0, 18)));

    lease.addOutputTokens(50);

    assertThat(router.load(worker(1)).blocks()).isEqualTo(4);
    assertThatThrownBy(() -> lease.addOutputTokens(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("count=-1");
  }

  @Test
  void shouldRefuseABuildThatLacksAPart() {
    RouterFixture fixture = new RouterFixture(1);

    assertThatThrownBy(() -> KvRouter.builder().indexer(fixture.indexer).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("directory=missing");
    assertThatThrownBy(
            () ->
                KvRouter.builder()
                    .environment(RouterFixture.environment(1))
                    .directory(fixture.directory)
                    .blockSize(4)
                    .build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("needs an indexer");
    assertThatThrownBy(() -> fixture.builder().blockSize(8).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("router=8, indexer=4");
  }
}
