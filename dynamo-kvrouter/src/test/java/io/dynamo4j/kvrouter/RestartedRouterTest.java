// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.DispatchFixture.MILLI;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A lone router restarts while its requests go on: it knows nothing of them, and need not. */
class RestartedRouterTest {
  private static final int WORKERS = 4;
  private static final int OLD_REQUESTS = 40;
  private static final long RESTART = 1_500 * MILLI;

  private final RoutedFleet fleet =
      new RoutedFleet(
          WORKERS, MockEngineConfig.builder().blockSize(16).capacityBlocks(4_096).build(), 1);
  private final RandomSource random = RandomSource.seeded(2);

  private PreprocessedRequest request(String id, int answer) {
    int[] prompt = new int[160];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = random.nextInt(50_000);
    }
    return PreprocessedRequest.builder(id, TokenSlice.wrap(prompt))
        .stopConditions(StopConditions.builder().maxTokens(answer).ignoreEos(true).build())
        .build();
  }

  /** Returns by how many requests a router's books miss what the engines have. */
  private int error(KvRouter router) {
    int error = 0;
    for (int i = 0; i < WORKERS; i++) {
      int engine = fleet.engine(i).runningCount() + fleet.engine(i).waitingCount();
      error += Math.abs(engine - router.load(RouterFixture.worker(i + 1L)).requests());
    }
    return error;
  }

  @Test
  void shouldBeginAtZeroAndBeExactOnceTheOldRequestsHaveEnded() {
    KvRouter before = fleet.router(KvRouterConfig.ofDefaults());
    var old = fleet.kv(before);
    for (int i = 0; i < OLD_REQUESTS; i++) {
      fleet.arrive(
          random.nextInt(1_000) * MILLI, request("old-" + i, 100 + random.nextInt(900)), old);
    }
    KvRouter after = fleet.router(KvRouterConfig.ofDefaults());
    var fresh = fleet.kv(after);
    for (int i = 0; i < 400; i++) {
      fleet.arrive(
          RESTART + 1 + random.nextInt(30_000) * MILLI,
          request("new-" + i, 20 + random.nextInt(200)),
          fresh);
    }
    fleet.simulation.runFor(RESTART);
    assertThat(after.bookingCount()).isZero();
    assertThat(error(before)).isZero();
    int atFirst = error(after);
    assertThat(atFirst).isEqualTo(before.bookingCount()).isGreaterThan(OLD_REQUESTS / 2);

    List<Integer> errors = new ArrayList<>();
    for (int i = 0; i < 30_000; i += 50) {
      fleet.simulation.runFor(50 * MILLI + 7);
      // What the old router would still know is all that the new one does not.
      assertThat(error(after)).isEqualTo(before.bookingCount());
      errors.add(error(after));
    }

    for (int i = 1; i < errors.size(); i++) {
      assertThat(errors.get(i)).isLessThanOrEqualTo(errors.get(i - 1));
    }
    int exactFrom = errors.indexOf(0);
    assertThat(exactFrom).isBetween(1, errors.size() / 2 + errors.size() / 4);
    fleet.run();
    assertThat(fleet.isEverythingCompleted()).isTrue();
    assertThat(after.bookingCount()).isZero();
  }
}
