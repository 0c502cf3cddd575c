// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Conversations over mock engines: what routing by cache is worth, and that it adds up. */
class RoutedFleetTest {
  private static final int WORKERS = 8;
  private static final int BLOCK = 16;
  private static final int SESSIONS = 24;
  private static final int TURNS = 6;
  private static final MockEngineConfig ENGINE =
      MockEngineConfig.builder().blockSize(BLOCK).capacityBlocks(2_048).build();

  private record Arrival(long nanos, PreprocessedRequest request) {}

  /** Every session repeats what it has said and adds to it, once a second or so. */
  private static List<Arrival> conversations(long seed) {
    List<Arrival> arrivals = new ArrayList<>();
    for (int session = 0; session < SESSIONS; session++) {
      RandomSource random = RandomSource.seeded(seed).split("session-" + session);
      int[] tokens = random(random, 60 * BLOCK);
      long nanos = random.nextInt(1_000_000_000);
      for (int turn = 0; turn < TURNS; turn++) {
        PreprocessedRequest request =
            PreprocessedRequest.builder(session + "-" + turn, TokenSlice.of(tokens))
                .stopConditions(StopConditions.builder().maxTokens(20).build())
                .build();
        arrivals.add(new Arrival(nanos, request));
        nanos += 900_000_000L + random.nextInt(600_000_000);
        int[] said = random(random, 2 * BLOCK);
        int length = tokens.length;
        tokens = Arrays.copyOf(tokens, length + said.length);
        System.arraycopy(said, 0, tokens, length, said.length);
      }
    }
    return arrivals;
  }

  private static int[] random(RandomSource random, int length) {
    int[] tokens = new int[length];
    for (int i = 0; i < length; i++) {
      tokens[i] = random.nextInt(50_000);
    }
    return tokens;
  }

  private static double hitRate(Function<RoutedFleet, Double> play) {
    return play.apply(new RoutedFleet(WORKERS, ENGINE, 1));
  }

  private static double playPool(RoutedFleet fleet, PoolPolicy policy) {
    var dispatcher = fleet.pool(policy);
    conversations(1).forEach(a -> fleet.arrive(a.nanos(), a.request(), dispatcher));
    fleet.run();
    assertThat(fleet.isEverythingCompleted()).isTrue();
    return fleet.hitRate();
  }

  private static double playKv(RoutedFleet fleet, KvRouterConfig config) {
    KvRouter router = fleet.router(config);
    var dispatcher = fleet.kv(router);
    conversations(1).forEach(a -> fleet.arrive(a.nanos(), a.request(), dispatcher));
    fleet.run();
    assertThat(fleet.isEverythingCompleted()).isTrue();
    assertThat(router.bookingCount()).isZero();
    return fleet.hitRate();
  }

  @Test
  void shouldFindMoreInCacheThanPoliciesThatDoNotLook() {
    double kv = hitRate(fleet -> playKv(fleet, KvRouterConfig.ofDefaults()));

    for (PoolPolicy policy : PoolPolicy.values()) {
      assertThat(hitRate(fleet -> playPool(fleet, policy))).isLessThan(kv / 1.5);
    }
    // Every turn but the first could repeat its session's prompt.
    assertThat(kv).isGreaterThan(0.6);
  }

  @ParameterizedTest
  @EnumSource
  void shouldPredictExactlyWhatEnginesFindInTheirCaches(KvPolicy policy) {
    RoutedFleet fleet = new RoutedFleet(WORKERS, ENGINE, 1);
    KvRouter router = fleet.router(policy);
    var dispatcher = fleet.kv(router);
    conversations(1).forEach(a -> fleet.arrive(a.nanos(), a.request(), dispatcher));

    fleet.run();

    CacheAccuracy accuracy = router.cacheAccuracy();
    assertThat(accuracy.reports()).isEqualTo(SESSIONS * TURNS);
    assertThat(accuracy.exactReports()).isEqualTo(accuracy.reports());
    assertThat(accuracy.absoluteErrorTokens()).isZero();
    assertThat(accuracy.predictedTokens())
        .isEqualTo(accuracy.reportedTokens())
        .isGreaterThan(50_000);
  }

  @Test
  void shouldGainNothingWithoutCredit() {
    double blind =
        hitRate(fleet -> playKv(fleet, KvRouterConfig.builder().overlapScoreCredit(0).build()));

    assertThat(blind)
        .isLessThan(hitRate(fleet -> playKv(fleet, KvRouterConfig.ofDefaults())) / 1.5);
  }

  @Test
  void shouldRepeatARunExactly() {
    RoutedFleet first = new RoutedFleet(WORKERS, ENGINE, 3);
    RoutedFleet second = new RoutedFleet(WORKERS, ENGINE, 3);

    assertThat(playKv(first, KvRouterConfig.ofDefaults()))
        .isEqualTo(playKv(second, KvRouterConfig.ofDefaults()));
    assertThat(first.simulation.traceHash()).isEqualTo(second.simulation.traceHash());
    assertThat(first.meanTimeToFirstTokenMillis()).isEqualTo(second.meanTimeToFirstTokenMillis());
  }
}
