// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.RouterLeaseMessage.Lease;
import io.dynamo4j.wire.RouterLeaseMessage.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Dynamo's routers, workers and strangers on the topic of active sequences. */
class ReplicaPeersTest {
  private static final WorkerWithDpRank W1 = worker(1);
  private static final WorkerWithDpRank W2 = worker(2);
  private static final long SECOND = 1_000 * RouterPair.MILLI;

  private final RouterPair pair = new RouterPair(1, 2, true);
  private final KvRouter router = pair.start("a");
  private final ReplicaPeer dynamo = new ReplicaPeer(pair, 77, 5);

  @AfterEach
  void checkInvariant() {
    pair.checkInvariants();
  }

  private ReplicaSyncStatus status() {
    return router.replicaSync();
  }

  /* --------------- Dynamo's routers --------------- */

  @Test
  void shouldCountWhatARouterWithoutLeasesBooks() {
    dynamo.add("r", W1, 18, 1, 2, 3, 4);
    assertThat(router.load(W1)).isEqualTo(new WorkerLoad(18, 4, 1));
    dynamo.mark("r", W1);
    dynamo.mark("r", W1);
    assertThat(router.load(W1)).isEqualTo(new WorkerLoad(0, 4, 1));
    dynamo.free("r", W1);

    assertThat(router.load(W1)).isEqualTo(WorkerLoad.NONE);
    assertThat(status().snapshotRequests()).isEqualTo(1);
  }

  @Test
  void shouldAgeEachBookingOfARouterWithoutLeases() {
    dynamo.add("old", W1, 18, 1, 2);
    pair.runFor(200 * SECOND);
    dynamo.add("young", W1, 18, 3);
    pair.runFor(99 * SECOND);
    assertThat(router.load(W1).requests()).isEqualTo(2);
    pair.runFor(3 * SECOND);

    assertThat(router.load(W1)).isEqualTo(new WorkerLoad(18, 1, 1));
    assertThat(status().expiredBookings()).isEqualTo(1);
  }

  @Test
  void shouldGoOnAfterALossThatNobodyCanRepair() {
    dynamo.add("a", W1, 1, 1);
    pair.network.disturb(1, 0, 0);
    dynamo.add("lost", W1, 1, 2);
    pair.network.calm();
    dynamo.add("c", W1, 1, 3);
    dynamo.free("a", W1);
    pair.runFor(SECOND);

    assertThat(router.load(W1)).isEqualTo(new WorkerLoad(1, 1, 1));
    assertThat(status().behind()).isZero();
  }

  @Test
  void shouldLetAnotherRouterWithoutLeasesEndABooking() {
    dynamo.add("r", W1, 18, 1, 2);
    new ReplicaPeer(pair, 78, 6).free("r", W1);

    assertThat(router.load(W1)).isEqualTo(WorkerLoad.NONE);
  }

  @Test
  void shouldKeepBookingsOfOneRequestOnTwoRanksApart() {
    dynamo.add("r", W1, 18, 1, 2);
    dynamo.add("r", W2, 20, 1, 2);
    dynamo.free("r", W1);

    assertThat(router.load(W1)).isEqualTo(WorkerLoad.NONE);
    assertThat(router.load(W2)).isEqualTo(new WorkerLoad(20, 2, 1));
  }

  /* --------------- Workers --------------- */

  @Test
  void shouldTolerateMarksOfWorkersThemselves() {
    RequestLease own = router.trySelect(request("own", tokens(0, 8)));
    dynamo.add("theirs", W1, 18, 1, 2);
    ReplicaPeer first = new ReplicaPeer(pair, own.worker().workerId(), 9);
    first.mark("own", own.worker());
    ReplicaPeer second = new ReplicaPeer(pair, 1, 10);
    second.mark("theirs", W1);
    second.mark("unknown", W1);

    assertThat(router.load(W1).prefillTokens()).isZero();
    assertThat(router.load(own.worker()).prefillTokens()).isZero();
    own.markPrefillCompleted();
    own.close();
    assertThat(status().workerMarks()).isEqualTo(2);
    assertThat(status().routers()).isEqualTo(1);
    assertThat(status().unmatched()).isEqualTo(1);
  }

  /* --------------- Bad input --------------- */

  @Test
  void shouldCountAndIgnoreWhatIsNoMessage() {
    byte[] garbage = "garbage".getBytes(StandardCharsets.UTF_8);
    dynamo.raw(garbage);
    dynamo.rawLease(garbage);
    dynamo.raw(new byte[0]);
    dynamo.raw(new byte[] {(byte) 0x80});

    assertThat(status().undecodable()).isEqualTo(4);
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldCountAndIgnoreStrangers() {
    RequestLease own = router.trySelect(request("own", tokens(0, 8)));
    WorkerLoad load = router.load(own.worker());
    ReplicaPeer impostor = new ReplicaPeer(pair, status().routerId(), 11);
    impostor.free("own", own.worker());
    impostor.add("fake", W1, 1, 1);
    impostor.say(new Lease(impostor.id, 11, 4, 0, 0, 1_000));
    impostor.say(new Snapshot(impostor.id, 11, 0, 0, 1, List.of()));
    ReplicaPeer stranger = new ReplicaPeer(pair, 99, 12);
    stranger.free("own", own.worker());
    stranger.mark("own", own.worker());
    dynamo.free("never seen", W1);
    dynamo.mark("never seen", W1);

    assertThat(router.load(own.worker())).isEqualTo(load);
    assertThat(router.bookingCount()).isEqualTo(1);
    assertThat(status().foreign()).isEqualTo(8);
  }

  @Test
  void shouldNotCountBookingsOnWorkersThatTheDirectoryDoesNotName() {
    dynamo.add("r", worker(4_711), 18, 1, 2);

    assertThat(router.bookingCount()).isZero();
    assertThat(router.load(worker(4_711))).isEqualTo(WorkerLoad.NONE);
    assertThat(status().bookings()).isEqualTo(1);
  }

  @Test
  void shouldIgnoreTheFormerLifeOfARouterThatStartedAnew() {
    dynamo.add("old", W1, 1, 1);
    ReplicaPeer reborn = new ReplicaPeer(pair, 77, 6);
    reborn.add("new", W1, 2, 2);
    assertThat(router.load(W1)).isEqualTo(new WorkerLoad(2, 1, 1));
    dynamo.add("late", W1, 1, 3);

    assertThat(router.load(W1)).isEqualTo(new WorkerLoad(2, 1, 1));
    assertThat(status().foreign()).isPositive();
  }

  /* --------------- Leases and snapshots --------------- */

  @Test
  void shouldTakeOverASnapshotOnlyOnceAllItsPartsAreThere() {
    ReplicaPeer peer = new ReplicaPeer(pair, 88, 7);
    peer.say(new Lease(88, 7, 9, 0, 2, 3_000));
    peer.say(new Snapshot(88, 7, 9, 1, 2, List.of(peer.addition("b", W2, 4, 5, 6))));
    assertThat(router.bookingCount()).isZero();
    peer.say(new Snapshot(88, 7, 9, 0, 2, List.of(peer.addition("a", W1, -1, 5))));

    assertThat(router.load(W1)).isEqualTo(new WorkerLoad(0, 1, 1));
    assertThat(router.load(W2)).isEqualTo(new WorkerLoad(4, 2, 1));
    peer.say(new Snapshot(88, 7, 8, 0, 1, List.of()));
    assertThat(router.bookingCount()).as("an older snapshot").isEqualTo(2);
    peer.say(new Lease(88, 7, 9, 0, 0, 0));
    assertThat(router.bookingCount()).as("after goodbye").isZero();
  }

  @Test
  void shouldAskAgainWhenTheDigestDiffersThoughNothingIsMissing() {
    ReplicaPeer peer = new ReplicaPeer(pair, 88, 7);
    peer.add("a", W1, 4, 5);
    peer.say(new Lease(88, 7, 1, 123, 1, 3_000));
    pair.runFor(SECOND);
    long asked = status().snapshotRequests();
    assertThat(asked).isGreaterThan(1);
    assertThat(status().behind()).isEqualTo(1);
    peer.say(new Snapshot(88, 7, 1, 0, 1, List.of(peer.addition("b", W1, 4, 6))));

    assertThat(router.load(W1)).isEqualTo(new WorkerLoad(4, 1, 1));
    assertThat(status().behind()).isZero();
  }
}
