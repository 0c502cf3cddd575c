// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The tree of runs: how many there are, whose arrays they keep, and that its check sees faults. */
class ActivePrefixesTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);

  private final PrefixSharingTracker tracker = new PrefixSharingTracker(3, () -> 0);
  private int nextId;

  private Booking book(long... hashes) {
    return book(W1, hashes);
  }

  private Booking book(WorkerWithDpRank worker, long... hashes) {
    Booking booking =
        Booking.of(new BookingKey("r" + nextId++, 0), worker, hashes, hashes.length, 1);
    tracker.book(booking);
    PrefixTreeCheck.check(tracker.prefixes());
    return booking;
  }

  private void free(Booking booking) {
    assertThat(tracker.free(booking)).isTrue();
    PrefixTreeCheck.check(tracker.prefixes());
  }

  private int runs() {
    return tracker.prefixes().runCount();
  }

  private static long[] chain(int blocks, int shared, int number) {
    long[] hashes = new long[blocks];
    for (int i = 0; i < blocks; i++) {
      hashes[i] = DecisionRandom.mix(i < shared ? i + 1 : i + 1 + 1_000_000L * number);
    }
    return hashes;
  }

  @Test
  void shouldKeepAPromptAsOneRunHoweverLongItIs() {
    book(chain(4_096, 0, 1));

    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void shouldCutARunWhereAnotherPromptLeavesItAndJoinItAgain() {
    Booking stays = book(1, 2, 3, 4);
    Booking leaves = book(1, 2, 5);
    assertThat(runs()).isEqualTo(3);

    free(leaves);

    assertThat(runs()).isEqualTo(1);
    free(stays);
    assertThat(runs()).isZero();
  }

  @Test
  void shouldCutARunWhereAShorterPromptEnds() {
    Booking longer = book(1, 2, 3, 4);
    Booking shorter = book(1, 2);
    assertThat(runs()).isEqualTo(2);

    free(longer);

    assertThat(runs()).isEqualTo(1);
    free(shorter);
  }

  @Test
  void shouldHaveAtMostTwoRunsABookingWhateverComesAndGoes() {
    List<Booking> living = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      living.add(book(WorkerWithDpRank.of(i % 90), chain(64, i * 7 % 65, i % 5)));
      if (i % 3 != 0) {
        free(living.remove(i * 31 % living.size()));
      }
      assertThat(runs()).isLessThanOrEqualTo(2 * living.size());
    }
    living.forEach(this::free);
    assertThat(runs()).isZero();
  }

  @Test
  void shouldReadFromALivingBookingOnceTheOneThatCameFirstHasLeft() {
    Booking first = book(1, 2, 3);
    Booking second = book(1, 2, 3);
    Booking third = book(1, 2, 4);

    free(first); // the check fails if its array is still read
    free(second);

    assertThat(runs()).isEqualTo(1);
    free(third);
  }

  @Test
  void shouldTakeHashesAsTheyAreEvenIfTheyAreNoChain() {
    Booking one = book(7, 7, 7);
    Booking other = book(W1, 7, 8, 7);
    Booking third = book(8, 7);
    assertThat(tracker.load(W1).blocks()).isEqualTo(3 + 2 + 2);

    free(one);
    free(third);
    free(other);

    assertThat(tracker.load(W1)).isEqualTo(WorkerLoad.NONE);
  }

  @Test
  void shouldForgetRanksThatCameAndWent() {
    for (int i = 0; i < 10_000; i++) {
      Booking booking =
          Booking.of(new BookingKey("r", 0), WorkerWithDpRank.of(i), new long[] {1, 2}, 2, 1);
      tracker.book(booking);
      tracker.free(booking);
    }

    assertThat(tracker.rankCount()).isLessThanOrEqualTo(64);
  }

  @Test
  void shouldTellARankThatCameBackFromWhoIsInItsPlaceNow() {
    WorkerWithDpRank gone = WorkerWithDpRank.of(5);
    book(gone, 1, 2, 3);
    WorkerCandidates candidates = WorkerCandidates.create();
    assertThat(added(candidates, gone)).isZero();

    tracker.removeRank(gone);
    assertThat(added(candidates, gone)).isEqualTo(3);
    book(W1, 1, 2);
    assertThat(added(candidates, W1)).isEqualTo(1);
    assertThat(added(candidates, gone)).isEqualTo(3);
  }

  private int added(WorkerCandidates candidates, WorkerWithDpRank worker) {
    candidates.reset(12, 4, 3, true);
    candidates.add(worker, 0, 0, 0);
    tracker.project(new long[] {1, 2, 3}, 3, candidates);
    return candidates.addedBlocks(0);
  }

  @Test
  void shouldCatchTreesThatAreWrong() {
    book(1, 2, 3, 4);
    book(1, 2, 5);
    PrefixRun upper = Objects.requireNonNull(tracker.prefixes().root().firstChild);
    PrefixRun lower = Objects.requireNonNull(upper.firstChild);

    assertCaught(() -> upper.hashes = Arrays.copyOf(upper.hashes, 4), () -> {});
    upper.hashes = lower.hashes;
    PrefixTreeCheck.check(tracker.prefixes());
    assertCaught(() -> upper.ranks.increment(1), () -> upper.ranks.decrement(1));
    assertCaught(() -> upper.ranks.increment(70), () -> upper.ranks.decrement(70));
    assertCaught(() -> lower.from--, () -> lower.from++);
    assertCaught(() -> lower.parent = null, () -> lower.parent = upper);
    PrefixTreeCheck.check(tracker.prefixes());
  }

  private void assertCaught(Runnable fault, Runnable repair) {
    fault.run();
    assertThatThrownBy(() -> PrefixTreeCheck.check(tracker.prefixes()))
        .isInstanceOf(AssertionError.class);
    repair.run();
  }
}
