// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A burst of 1,000 equal prompts over 64 idle workers spreads. */
class HerdTest {
  private static final int WORKERS = 64;
  private static final int REQUESTS = 1_000;
  private static final int THREADS = 8;
  private static final double MEAN = (double) REQUESTS / WORKERS;
  private static final TokenSlice PROMPT = tokens(0, 32 * RouterFixture.BLOCK);

  @ParameterizedTest
  @EnumSource
  void shouldSpreadABurstFromEightThreads(KvPolicy policy) throws Exception {
    KvRouter router = new RouterFixture(WORKERS).builder().policy(policy).build();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    CountDownLatch start = new CountDownLatch(1);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int number = thread;
        done.add(
            threads.submit(
                () -> {
                  start.await();
                  for (int i = number; i < REQUESTS; i += THREADS) {
                    router.trySelect(request("r" + i, PROMPT));
                  }
                  return null;
                }));
      }
      start.countDown();
      for (Future<?> one : done) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(router.bookingCount()).isEqualTo(REQUESTS);
    for (long id = 1; id <= WORKERS; id++) {
      assertThat(router.load(RouterFixture.worker(id)).requests())
          .as("worker %d", id)
          .isBetween(1, (int) (2 * MEAN));
    }
  }

  @Test
  void shouldSpreadABurstFromTwoRoutersThatHearOfEachOtherLate() {
    RouterPair pair = burst(0);

    // Neither heard of the other in time: each spread its half for itself.
    assertThat(largest(pair)).isLessThanOrEqualTo(2 * MEAN);
  }

  @Test
  void shouldSpreadRequestsOfTwoRoutersWithinTheDelayOfTheirPlane() {
    RouterPair pair = burst(100 * RouterPair.MILLI);

    // What one router books within the other's delay may be booked once more at the same place.
    double withinDelay = REQUESTS * (double) RouterPair.DELAY / (100 * RouterPair.MILLI);
    assertThat(largest(pair)).isLessThanOrEqualTo(2 * MEAN);
    assertThat(largest(pair)).isLessThanOrEqualTo(MEAN + Math.max(2, withinDelay));
  }

  /** Lets both routers take turns at equal prompts that come within a time. */
  private static RouterPair burst(long nanos) {
    RouterPair pair = new RouterPair(1, WORKERS, true);
    RandomSource random = RandomSource.seeded(1);
    for (String node : List.of("a", "b")) {
      pair.start(node);
    }
    pair.runFor(1_000 * RouterPair.MILLI);
    for (int i = 0; i < REQUESTS; i++) {
      String node = i % 2 == 0 ? "a" : "b";
      Scheduler lane = pair.lane(node);
      String id = node + i;
      long at = nanos == 0 ? 0 : random.nextInt((int) nanos);
      lane.schedule(() -> pair.router(node).trySelect(request(id, PROMPT)), at);
    }
    pair.runFor(nanos + 10 * RouterPair.DELAY);
    for (String node : List.of("a", "b")) {
      assertThat(pair.router(node).bookingCount()).isEqualTo(REQUESTS);
    }
    pair.checkInvariants();
    return pair;
  }

  private static double largest(RouterPair pair) {
    double largest = 0;
    for (WorkerWithDpRank rank : pair.ranks) {
      largest = Math.max(largest, pair.router("a").load(rank).requests());
    }
    return largest;
  }
}
