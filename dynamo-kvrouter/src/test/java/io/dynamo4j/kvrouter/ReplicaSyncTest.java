// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterPair.DELAY;
import static io.dynamo4j.kvrouter.RouterPair.LEASE;
import static io.dynamo4j.kvrouter.RouterPair.MILLI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Named after row S2: snapshot for joiners, leases renewed by progress, reconciliation. */
class ReplicaSyncTest {

  private static long sum(RouterPair pair, String node) {
    return pair.loads(node).stream().mapToLong(WorkerLoad::requests).sum();
  }

  /* --------------- Without faults --------------- */

  @ParameterizedTest
  @CsvSource({"1,256", "2,256", "3,1", "4,1"})
  void shouldAgreeWithinTwicePlaneDelayWithoutLoss(long seed, int eventsPerMessage) {
    RouterPair pair = new RouterPair(seed, 4, true);
    if (eventsPerMessage == 1) {
      pair.sendSingleEvents();
    }
    pair.start("a");
    pair.start("b");
    RandomSource random = RandomSource.seeded(seed);
    for (int phase = 0; phase < 20; phase++) {
      long until = pair.simulation.nowNanos() + 200 * MILLI;
      pair.load("a", "a" + phase + "-", until, random.split("a" + phase));
      pair.load("b", "b" + phase + "-", until, random.split("b" + phase));
      pair.runFor(60 * MILLI + random.nextInt(100) * MILLI);
      List<WorkerLoad> before = pair.loads("a");
      pair.checkInvariants();
      assertThat(sum(pair, "a")).as("before %s", before).isGreaterThan(0);
      freeze(pair);
    }
    assertThat(pair.router("a").replicaSync().snapshotRequests()).isEqualTo(1);
    assertThat(pair.router("b").replicaSync().expiredBookings()).isZero();
  }

  /** Compares after every request has come to rest. */
  private static void freeze(RouterPair pair) {
    pair.runFor(600 * MILLI);
    RequestLease one = pair.router("a").trySelect(request("frozen-a", tokens(7, 9)));
    RequestLease two = pair.router("b").trySelect(request("frozen-b", tokens(7, 21)));
    one.markPrefillCompleted();
    pair.runFor(2 * DELAY);
    assertThat(pair.loads("a")).isEqualTo(pair.loads("b"));
    assertThat(sum(pair, "a")).isEqualTo(2);
    pair.checkInvariants();
    one.close();
    two.close();
    pair.runFor(2 * DELAY);
    assertThat(pair.loads("a")).isEqualTo(pair.loads("b"));
    assertThat(sum(pair, "b")).isZero();
  }

  @Test
  void shouldGiveAJoinerWhatTheOthersHold() {
    RouterPair pair = new RouterPair(5, 3, true);
    pair.start("a");
    for (int i = 0; i < 600; i++) {
      RequestLease lease = pair.router("a").trySelect(request("r" + i, tokens(i, 8)));
      if (i % 2 == 0) {
        lease.markPrefillCompleted();
      }
    }
    pair.runFor(LEASE.toNanos());

    pair.start("b");
    pair.runFor(3 * DELAY);

    assertThat(pair.loads("b")).isEqualTo(pair.loads("a"));
    assertThat(sum(pair, "b")).isEqualTo(600);
    pair.checkInvariants();
  }

  @Test
  void shouldKeepALongRequestAndEndTheBookingsOfADeadRouterWithItsLease() {
    RouterPair pair = new RouterPair(6, 3, true);
    pair.start("a");
    pair.start("b");
    RequestLease longOne = pair.router("a").trySelect(request("long", tokens(0, 40)));
    longOne.markPrefillCompleted();
    pair.router("b").trySelect(request("own", tokens(100, 8)));
    pair.runFor(20 * LEASE.toNanos());
    assertThat(sum(pair, "b")).isEqualTo(2);

    pair.simulation.node("a").crash();
    pair.runFor(LEASE.toNanos() / 2);
    assertThat(sum(pair, "b")).isEqualTo(2);
    pair.runFor(LEASE.toNanos());

    assertThat(sum(pair, "b")).isEqualTo(1);
    assertThat(pair.router("b").replicaSync().expiredRouters()).isEqualTo(1);
    LeaseInvariant.check(pair.router("b"), pair.ranks);
  }

  @Test
  void shouldEndTheBookingsOfARouterThatDiesRightAfterAnsweringAJoiner() {
    RouterPair pair = new RouterPair(10, 3, true);
    pair.start("a").trySelect(request("r", tokens(0, 40)));
    pair.runFor(LEASE.toNanos() + DELAY);
    pair.start("b");
    pair.runFor(3 * DELAY);
    assertThat(sum(pair, "b")).isEqualTo(1);

    pair.simulation.node("a").crash();
    pair.runFor(2 * LEASE.toNanos());

    assertThat(sum(pair, "b")).isZero();
    assertThat(pair.router("b").replicaSync().expiredRouters()).isEqualTo(1);
  }

  @Test
  void shouldEndItsBookingsElsewhereAtOnceWhenClosed() {
    RouterPair pair = new RouterPair(7, 3, true);
    pair.start("a").trySelect(request("r", tokens(0, 40)));
    pair.start("b");
    pair.runFor(5 * DELAY);
    assertThat(sum(pair, "b")).isEqualTo(1);

    pair.router("a").close();
    pair.router("a").close();
    pair.runFor(2 * DELAY);

    assertThat(sum(pair, "b")).isZero();
  }

  @Test
  void shouldCountBookingsOfAWorkerOnceItIsKnownAndDropThemWhenItLeaves() {
    RouterPair pair = new RouterPair(8, 1, true);
    pair.start("a");
    pair.start("b");
    WorkerWithDpRank late = RouterFixture.worker(9);
    pair.directory("a").register(RouterFixture.instance(9).build());
    pair.router("a").trySelect(RouterFixture.pinned("r", tokens(0, 8), late));
    pair.runFor(2 * DELAY);
    assertThat(pair.router("b").load(late)).isEqualTo(WorkerLoad.NONE);

    pair.directory("b").register(RouterFixture.instance(9).build());
    assertThat(pair.router("b").load(late)).isEqualTo(pair.router("a").load(late));
    pair.directory("b").unregister(9);
    assertThat(pair.router("b").bookingCount()).isZero();
    pair.directory("b").register(RouterFixture.instance(9).build());
    assertThat(pair.router("b").bookingCount()).isZero();
    pair.runFor(LEASE.toNanos());

    assertThat(pair.router("b").load(late)).isEqualTo(pair.router("a").load(late));
  }

  @Test
  void shouldRefuseARequestThatAnotherRouterHasBooked() {
    RouterPair pair = new RouterPair(9, 2, true);
    pair.start("a").trySelect(request("c", tokens(0, 8)));
    KvRouter other = pair.start("b");
    pair.runFor(3 * DELAY);

    assertThatThrownBy(() -> other.trySelect(request("c", tokens(0, 8))))
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.DUPLICATE_REQUEST));
    assertThat(sum(pair, "b")).isEqualTo(1);
  }

  /* --------------- With faults --------------- */

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
  void shouldAgreeWithinALeaseAfterFaultsEnd(long seed) {
    RouterPair pair = new RouterPair(seed, 4, true);
    RandomSource random = RandomSource.seeded(seed);
    pair.start("a");
    pair.start("b");
    pair.start("c");
    for (int phase = 0; phase < 6; phase++) {
      pair.network.disturb(
          random.nextDouble() * 0.6, random.nextDouble() * 0.5, random.nextInt(40) * DELAY);
      long until = pair.simulation.nowNanos() + 1_500 * MILLI;
      for (String node : List.of("a", "b", "c")) {
        pair.load(node, node + phase + "-", until, random.split(node + phase));
      }
      List<RequestLease> lasting = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        String node = "abc".substring(i % 3, i % 3 + 1);
        pair.runFor(random.nextInt(100) * MILLI);
        lasting.add(
            pair.router(node)
                .trySelect(request("lasting" + phase + "-" + i, tokens(i * 100, 12 + i))));
        pair.checkInvariants();
      }
      pair.runFor(until - pair.simulation.nowNanos());
      if (phase == 3) {
        pair.simulation.node("c").crash();
        pair.start("c");
      }
      pair.network.calm();
      // Whoever died was last heard of by its latest message.
      pair.runFor(LEASE.toNanos() + (phase == 3 ? 41 * DELAY : 0));

      pair.checkInvariants();
      assertThat(pair.loads("b")).isEqualTo(pair.loads("a"));
      assertThat(pair.loads("c")).isEqualTo(pair.loads("a"));
      lasting.forEach(RequestLease::close);
    }
    pair.runFor(2 * DELAY);
    assertThat(sum(pair, "a")).isZero();
    assertThat(pair.network.lost).isPositive();
    assertThat(pair.network.doubled).isPositive();
    assertThat(pair.router("a").replicaSync().duplicates()).isPositive();
    assertThat(pair.router("a").replicaSync().snapshots()).isPositive();
  }

  /* --------------- Without sync --------------- */

  @Test
  void shouldKnowOnlyItsOwnBookingsAndSpreadWorseWithoutSync() {
    assertThat(busiest(true)).isEqualTo(20);
    assertThat(busiest(false)).isGreaterThan(30);
  }

  /**
   * Sends eight equal requests through two routers over eight workers, twenty times, and returns
   * the sum of the busiest workers' requests: 20 if no worker ever has two.
   */
  private static long busiest(boolean synced) {
    RouterPair pair = new RouterPair(23, 8, synced);
    pair.start("a");
    pair.start("b");
    pair.runFor(5 * DELAY);
    long sum = 0;
    for (int round = 0; round < 20; round++) {
      List<RequestLease> leases = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String node = i % 2 == 0 ? "a" : "b";
        leases.add(pair.router(node).trySelect(request(round + "-" + i, tokens(i * 1000, 400))));
        pair.runFor(2 * DELAY);
      }
      assertThat(sum(pair, "a")).isEqualTo(synced ? 8 : 4);
      assertThat(sum(pair, "b")).isEqualTo(synced ? 8 : 4);
      sum +=
          pair.ranks.stream()
              .mapToLong(rank -> leases.stream().filter(l -> l.worker().equals(rank)).count())
              .max()
              .orElseThrow();
      leases.forEach(RequestLease::close);
      pair.runFor(2 * DELAY);
    }
    return sum;
  }
}
