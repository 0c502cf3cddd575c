// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.ActiveSequenceEvent;
import io.dynamo4j.wire.RouterLeaseMessage.Lease;
import io.dynamo4j.wire.RouterLeaseMessage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers whose messages can be read and say what no sound router would. */
class HostileReplicaTest {
  private static final WorkerWithDpRank W1 = worker(1);
  private static final WorkerWithDpRank W2 = worker(2);

  private final RouterPair pair = new RouterPair(1, 2, true);
  private final KvRouter router = pair.start("a");
  private final ReplicaPeer peer = new ReplicaPeer(pair, 77, 5);

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE / 2 + 1, 1L << 62})
  void shouldNotTakeALoadBeyondAllMeasureForNone(long prefillTokens) {
    for (int i = 0; i < 6; i++) {
      peer.add("r" + i, W1, prefillTokens, i);
    }

    assertThat(router.load(W1).prefillTokens()).isPositive();
    assertThat(router.trySelect(request("own", tokens(0, 8))).worker()).isEqualTo(W2);
    pair.checkInvariants();
    for (int i = 0; i < 6; i++) {
      peer.free("r" + i, W1);
    }
    assertThat(router.load(W1)).isEqualTo(WorkerLoad.NONE);
  }

  @Test
  void shouldFreeAllBlocksOfABookingInWhichSomeRepeat() {
    peer.add("a", W1, 4, 5, 5, 5, 5);
    peer.add("b", W1, 4, 5, 6, 5, 6);
    assertThat(router.load(W1).requests()).isEqualTo(2);
    peer.free("a", W1);
    peer.free("b", W1);

    assertThat(router.load(W1)).isEqualTo(WorkerLoad.NONE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, Long.MAX_VALUE})
  void shouldSurviveALeaseOfAnyLength(long leaseMillis) {
    peer.add("a", W1, 4, 5);
    peer.say(new Lease(77, 5, 1, 0, 1, leaseMillis));
    pair.runFor(RouterPair.LEASE.toNanos());

    assertThat(router.load(W1).requests()).isEqualTo(leaseMillis == 1 ? 0 : 1);
    pair.checkInvariants();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MAX_VALUE, Long.MIN_VALUE})
  void shouldGoOnWithAnHonestRouterBesideOneOfImpossibleNumbers(long sequence) {
    peer.say(new Lease(77, 5, sequence, -1, 1, 3_000));
    peer.say(new Snapshot(77, 5, sequence, 0, 1, List.of(peer.addition("a", W1, 4, 5))));
    ReplicaPeer honest = new ReplicaPeer(pair, 88, 6);
    honest.add("b", W2, 4, 6);
    pair.runFor(RouterPair.LEASE.toNanos());

    assertThat(router.load(W2).requests()).isEqualTo(1);
    pair.checkInvariants();
    router.trySelect(request("own", tokens(0, 8))).close();
  }

  /* --------------- Snapshots without an end --------------- */

  private static List<ActiveSequenceEvent> some(ReplicaPeer peer, int from, int count) {
    List<ActiveSequenceEvent> some = new ArrayList<>();
    for (int i = from; i < from + count; i++) {
      some.add(peer.addition("r" + i, W1, 1, i));
    }
    return some;
  }

  private static ReplicaMirror mirror(int maxBookings) {
    ActiveBlockTracker tracker = ActiveBlockTracker.create(1);
    return new ReplicaMirror(77, 5, new ReplicaBookings(tracker), 1, maxBookings);
  }

  @Test
  void shouldHoldNoMoreOfAnUnfinishedSnapshotThanOfAWholeOne() {
    ReplicaMirror mirror = mirror(8);
    for (int part = 0; part < 7; part++) {
      assertThat(mirror.snapshot(9, part, 8, some(peer, 10 * part, 5), 0)).isFalse();
    }
    assertThat(mirror.waitingBookings()).isEqualTo(8);

    assertThat(mirror.snapshot(9, 7, 8, List.of(), 0)).isTrue();
    assertThat(mirror.size()).isEqualTo(8);
    assertThat(mirror.waitingBookings()).isZero();
  }

  @Test
  void shouldNotBeginASnapshotOfMorePartsThanBookings() {
    ReplicaMirror mirror = mirror(8);
    for (int part = 0; part < 100; part++) {
      assertThat(mirror.snapshot(9, part, Integer.MAX_VALUE, some(peer, part, 1), 0)).isFalse();
    }

    assertThat(mirror.waitingBookings()).isZero();
  }
}
