// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import org.junit.jupiter.api.Test;

/** Figures that Dynamo's own tests and recorded runs assert. */
class PrefixSharingTrackerTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);
  private static final WorkerWithDpRank W2 = WorkerWithDpRank.of(2);

  private final ActiveBlockTracker tracker = ActiveBlockTracker.create(5);

  private Booking book(String id, WorkerWithDpRank worker, long prefillTokens, long... hashes) {
    Booking booking =
        Booking.of(new BookingKey(id, 0), worker, hashes, hashes.length, prefillTokens);
    tracker.book(booking);
    return booking;
  }

  private WorkerLoad load(WorkerWithDpRank worker) {
    return tracker.load(worker);
  }

  @Test
  void shouldCountSharedPrefixesOnce() {
    Booking r1 = book("r1", W1, 12, 1, 2, 3);
    assertThat(load(W1)).isEqualTo(new WorkerLoad(12, 3, 1));
    Booking r2 = book("r2", W1, 4, 5);
    assertThat(load(W1)).isEqualTo(new WorkerLoad(16, 4, 2));
    Booking r3 = book("r3", W1, 0, 1, 2, 3, 4);
    assertThat(load(W1)).isEqualTo(new WorkerLoad(16, 5, 3));
    tracker.free(r2);
    assertThat(load(W1)).isEqualTo(new WorkerLoad(12, 4, 2));
    tracker.free(r3);
    assertThat(load(W1)).isEqualTo(new WorkerLoad(12, 3, 1));
    tracker.free(r1);
    assertThat(load(W1)).isEqualTo(WorkerLoad.NONE);
  }

  @Test
  void shouldMatchTheContiguousPrefixOnly() {
    book("r1", W1, 0, 1, 2, 4, 5);
    book("r2", W2, 0, 1);
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(16, 4, 4, true);
    candidates.add(W1, 0, 0, 0);
    candidates.add(W2, 0, 0, 0);
    candidates.add(WorkerWithDpRank.of(3), 0, 0, 0);

    tracker.project(new long[] {1, 2, 3, 5}, 4, candidates);

    assertThat(candidates.activeBlocks(0) + candidates.addedBlocks(0)).isEqualTo(6);
    assertThat(candidates.activeBlocks(1) + candidates.addedBlocks(1)).isEqualTo(4);
    assertThat(candidates.activeBlocks(2) + candidates.addedBlocks(2)).isEqualTo(4);
  }

  @Test
  void shouldKeepTheWeightOfABlockThatAnotherComesToShare() {
    Booking r1 = book("r1", W1, 0, 1, 2, 3);
    tracker.addOutputBlock(r1, 0.5);
    assertThat(load(W1).blocks()).isEqualTo(2);
    Booking r2 = book("r2", W1, 0, 1, 2);
    assertThat(load(W1).blocks()).isEqualTo(2);
    tracker.addOutputBlock(r1, 0.0);
    assertThat(load(W1).blocks()).isEqualTo(1);
    tracker.free(r1);
    tracker.free(r2);
    assertThat(load(W1)).isEqualTo(WorkerLoad.NONE);
  }

  @Test
  void shouldWeighOnlyBlocksThatTheBookingHoldsAlone() {
    Booking r1 = book("r1", W1, 0, 1, 2, 3);
    book("r2", W1, 0, 1, 2);

    tracker.addOutputBlock(r1, 0.5);

    assertThat(load(W1).blocks()).isEqualTo(3);
  }

  @Test
  void shouldSetTheFractionOnAllOutputBlocksOfTheBooking() {
    Booking left = book("left", W1, 0, 1, 2, 3);
    book("right", W1, 0, 1, 2, 4);
    Booking duplicate = book("duplicate", W1, 0, 1, 2, 3);
    assertThat(load(W1).blocks()).isEqualTo(4);
    tracker.free(duplicate);
    assertThat(load(W1).blocks()).isEqualTo(4);
    tracker.addOutputBlock(left);
    assertThat(load(W1).blocks()).isEqualTo(5);
    tracker.addOutputBlock(left, 0.5);
    assertThat(load(W1).blocks()).isEqualTo(5);
    tracker.addOutputBlock(left, 0.25);
    assertThat(load(W1).blocks()).isEqualTo(4);
    tracker.free(left);
    assertThat(load(W1).blocks()).isEqualTo(3);
  }

  @Test
  void shouldRefuseAKeyThatIsBookedOnWhateverRank() {
    book("r1", W1, 7, 1, 2);

    assertThatThrownBy(() -> book("r1", W2, 3, 9))
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> {
              assertThat(failure.errorType()).isEqualTo(ErrorType.DUPLICATE_REQUEST);
              assertThat(failure.worker()).isEqualTo(W1);
            })
        .hasMessageContaining("request=r1#0");
    assertThat(load(W1)).isEqualTo(new WorkerLoad(7, 2, 1));
    assertThat(load(W2)).isEqualTo(WorkerLoad.NONE);
  }

  @Test
  void shouldNotTouchTheSuccessorOfABookingThatIsGone() {
    Booking old = book("r1", W1, 5, 1, 2);
    tracker.removeRank(W1);
    book("r1", W1, 9, 1, 2, 3);

    assertThat(tracker.markPrefillCompleted(old)).isFalse();
    assertThat(tracker.addOutputBlock(old)).isFalse();
    assertThat(tracker.free(old)).isFalse();
    assertThat(load(W1)).isEqualTo(new WorkerLoad(9, 3, 1));
  }

  @Test
  void shouldReleaseAVeryLongChain() {
    long[] chain = new long[65_536];
    for (int i = 0; i < chain.length; i++) {
      chain[i] = i * 0x9e3779b97f4a7c15L;
    }
    Booking booking = book("long", W1, 1, chain);
    assertThat(load(W1).blocks()).isEqualTo(65_536);

    tracker.free(booking);

    assertThat(load(W1)).isEqualTo(WorkerLoad.NONE);
    assertThat(tracker.bookingCount()).isZero();
  }

  @Test
  void shouldRefuseARemainingPartOutOfRange() {
    Booking booking = book("r1", W1, 0, 1);

    assertThatThrownBy(() -> tracker.addOutputBlock(booking, Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("remaining=NaN");
    assertThat(load(W1).blocks()).isEqualTo(1);
  }
}
