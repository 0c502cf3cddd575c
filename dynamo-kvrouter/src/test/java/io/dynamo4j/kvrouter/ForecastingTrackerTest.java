// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ForecastingTrackerTest {
  private static final long MILLI = 1_000_000;
  private static final int BLOCK = 16;
  private static final long[] NO_HASHES = {};

  private long nanos = 77 * MILLI;
  private int nextId;
  private final ForecastingTracker tracker =
      new ForecastingTracker(
          ActiveBlockTracker.create(1), () -> nanos, BLOCK, PredictionConfig.ofDefaults());

  private Booking booking(long workerId, long missTokens) {
    return Booking.of(
            new BookingKey("r" + nextId++, 0),
            worker(workerId),
            NO_HASHES,
            0,
            Math.max(0, missTokens))
        .ofOwnRequest(Math.max(0, missTokens) + 32, missTokens);
  }

  private Booking book(long workerId, long missTokens) {
    Booking booking = booking(workerId, missTokens);
    tracker.book(booking);
    return booking;
  }

  private WorkerCandidates project(long... workerIds) {
    WorkerCandidates rows = WorkerCandidates.create();
    rows.reset(100, BLOCK, 0, true);
    for (long id : workerIds) {
      rows.add(worker(id), 0, 0, 0);
    }
    tracker.project(NO_HASHES, 0, rows);
    return rows;
  }

  private RankForecast rank(long workerId) {
    return Objects.requireNonNull(project(workerId).rankForecast(0));
  }

  private void pass(double millis) {
    nanos += (long) (millis * MILLI);
  }

  @Test
  void shouldQueuePrefillsOneBehindTheOther() {
    double own = 16.5 + 0.0152 * 1_000;
    Booking first = book(1, 1_000);
    book(1, 1_000);
    assertThat(rank(1).queueMillis()).isCloseTo(2 * own, within(1e-9));
    assertThat(rank(1).waitingRequests()).isEqualTo(2);

    pass(10);
    assertThat(rank(1).queueMillis()).isCloseTo(2 * own - 10, within(1e-9));

    tracker.markPrefillCompleted(first);
    assertThat(rank(1).queueMillis()).isCloseTo(own, within(1e-9));
    assertThat(rank(1).waitingRequests()).isEqualTo(1);
    assertThat(rank(1).decodingRequests()).isEqualTo(1);
    assertThat(rank(1).bookedTokens()).isEqualTo(2 * 1_032);

    pass(1_000);
    assertThat(rank(1).queueMillis()).isZero();
    assertThat(rank(2)).isEqualTo(new RankForecast(0, 0, 0, 0, 1));
  }

  @Test
  void shouldTakeARequestThatEndsEarlyOutOfTheQueue() {
    Booking first = book(1, 1_000);
    Booking second = book(1, 2_000);
    tracker.free(first);
    assertThat(rank(1).queueMillis()).isCloseTo(16.5 + 30.4, within(1e-9));
    tracker.free(second);
    tracker.free(second);
    tracker.markPrefillCompleted(second);

    assertThat(rank(1)).isEqualTo(new RankForecast(0, 0, 0, 0, 1));
    assertThat(tracker.bookingCount()).isZero();
  }

  @Test
  void shouldLearnTheTrueTimesOfASerialEngine() {
    RandomSource random = RandomSource.seeded(4);
    for (int i = 0; i < 3_000; i++) {
      long tokens = 100L + random.nextInt(12_000);
      Booking booking = book(1L + i % 3, tokens);
      pass(40 + 0.05 * tokens);
      tracker.markPrefillCompleted(booking);
      tracker.free(booking);
    }
    FleetForecast fleet = Objects.requireNonNull(project(1, 2, 3).fleetForecast());
    assertThat(fleet.prefillMillis()).isCloseTo(40, within(2.0));
    assertThat(fleet.prefillMillisPerToken()).isCloseTo(0.05, within(0.001));
    assertThat(rank(1).slowdown()).isEqualTo(1);
  }

  @Test
  void shouldNotLearnATimeFromRequestsThatShareTheRank() {
    Booking first = book(1, 1_000);
    Booking second = book(1, 1_000);
    pass(5_000);
    tracker.markPrefillCompleted(first);
    tracker.markPrefillCompleted(second);

    assertThat(tracker.prefills().millis(1_000)).isCloseTo(31.7, within(1e-9));
  }

  @Test
  void shouldFindTheSlowRank() {
    for (int i = 0; i < 600; i++) {
      long rank = 1L + i % 4;
      Booking booking = book(rank, 2_000);
      pass(rank == 3 ? 200 : 50);
      tracker.markPrefillCompleted(booking);
      tracker.free(booking);
    }
    assertThat(rank(3).slowdown()).isBetween(1.8, 2.5); // 200 ms to a fleet mean of 87.5
    assertThat(rank(1).slowdown()).isBetween(0.5, 0.7);
  }

  @Test
  void shouldKeepTheBoundsOfAFactor() {
    for (int i = 0; i < 3_000; i++) {
      long rank = 1L + i % 50;
      Booking booking = book(rank, 2_000);
      pass(rank == 3 ? 100_000 : 1);
      tracker.markPrefillCompleted(booking);
      tracker.free(booking);
    }
    assertThat(rank(3).slowdown()).isEqualTo(8);
    assertThat(rank(1).slowdown()).isEqualTo(0.25);
  }

  @Test
  void shouldRaiseThePriceOfCapacityWhileRanksWaitAndLowerItAfterwards() {
    assertThat(price()).isEqualTo(1);
    for (int i = 0; i < 200; i++) {
      project(1);
      book(1, 1_000);
      pass(500);
    }
    assertThat(price()).isEqualTo(6);
  }

  private double price() {
    return Objects.requireNonNull(project(1).fleetForecast()).capacityPrice();
  }

  @Test
  void shouldLearnNothingFromQuestions() {
    book(1, 1_000);
    for (int i = 0; i < 1_000; i++) {
      pass(100);
      project(1);
    }
    double asked = price();
    nanos = 77 * MILLI;
    ForecastingTracker fresh =
        new ForecastingTracker(
            ActiveBlockTracker.create(1), () -> nanos, BLOCK, PredictionConfig.ofDefaults());
    fresh.book(booking(1, 1_000));
    pass(100_000);
    WorkerCandidates rows = WorkerCandidates.create();
    rows.reset(100, BLOCK, 0, true);
    rows.add(worker(1), 0, 0, 0);
    fresh.project(NO_HASHES, 0, rows);

    assertThat(Objects.requireNonNull(rows.fleetForecast()).capacityPrice()).isEqualTo(asked);
  }

  @Test
  void shouldForgetARankThatLeaves() {
    Booking old = book(3, 1_000);
    for (int i = 0; i < 200; i++) {
      Booking booking = book(1L + i % 2, 1_000);
      pass(i % 2 == 0 ? 400 : 50);
      tracker.markPrefillCompleted(booking);
      tracker.free(booking);
    }
    assertThat(rank(1).slowdown()).isGreaterThan(1.4);
    assertThat(tracker.rankCount()).isEqualTo(3);

    tracker.removeRank(worker(1));
    tracker.removeRank(worker(3));
    tracker.markPrefillCompleted(old);
    tracker.free(old);

    assertThat(tracker.rankCount()).isEqualTo(1);
    assertThat(rank(1)).isEqualTo(new RankForecast(0, 0, 0, 0, 1));
    assertThat(rank(2).slowdown()).isEqualTo(1);
  }

  @Test
  void shouldBookWhatComputesNoPromptAsDecoding() {
    Booking booking = book(1, -1);
    assertThat(rank(1)).isEqualTo(new RankForecast(0, 0, 1, 32, 1));
    tracker.markPrefillCompleted(booking);
    tracker.free(booking);

    assertThat(rank(1)).isEqualTo(new RankForecast(0, 0, 0, 0, 1));
  }

  @Test
  void shouldLearnNothingFromOtherRouters() {
    Booking foreign = Booking.of(new BookingKey("f", 0), worker(1), new long[] {1, 2}, 2, 1_000);
    pass(100);
    tracker.peerAge(20 * MILLI);
    tracker.book(foreign);
    tracker.peerAge(0);
    assertThat(rank(1).queueMillis()).isCloseTo(31.7 - 20, within(1e-9));
    assertThat(rank(1).bookedTokens()).isEqualTo(2 * BLOCK);

    pass(5_000);
    tracker.markPrefillCompleted(foreign);
    tracker.free(foreign);

    assertThat(rank(1)).isEqualTo(new RankForecast(0, 0, 0, 0, 1));
    assertThat(tracker.prefills().millis(1_000)).isCloseTo(31.7, within(1e-9));
  }

  @Test
  void shouldChangeNothingWhenADuplicateIsRefused() {
    Booking booking = book(1, 1_000);
    RankForecast before = rank(1);
    Booking again =
        Booking.of(booking.key(), worker(1), NO_HASHES, 0, 1_000).ofOwnRequest(1_000, 1_000);

    assertThatThrownBy(() -> tracker.book(again)).isInstanceOf(DynamoException.class);
    tracker.free(again);

    assertThat(rank(1)).isEqualTo(before);
  }
}
