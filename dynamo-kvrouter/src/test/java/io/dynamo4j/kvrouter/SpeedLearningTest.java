// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SpeedLearningTest {
  private static final double[] SPEEDS = {1, 2, 4};
  private static final long MILLI = 1_000_000;
  private static final long[] NO_HASHES = {};

  private long nanos;
  private int nextId;

  private static LearnedSpeeds speeds() {
    return new LearnedSpeeds(PredictionConfig.ofDefaults());
  }

  private static double step(double used) {
    return 6 + 45 * used;
  }

  private static void answers(LearnedSpeeds speeds, double[] truth, int count) {
    for (int i = 0; i < count; i++) {
      int rank = i % truth.length;
      int steps = 20 + i * 37 % 400;
      double used = (i * 13 % 100) / 100.0;
      speeds.learnAnswer(worker(1L + rank), steps, steps * step(used) / truth[rank], used);
    }
  }

  private static double ratio(LearnedSpeeds speeds, long rank, long toRank) {
    return speeds.prefill(worker(rank)) / speeds.prefill(worker(toRank));
  }

  @Test
  void shouldTellSpeedsFromAnswersAlone() {
    LearnedSpeeds speeds = speeds();
    answers(speeds, SPEEDS, 150);

    assertThat(ratio(speeds, 2, 1)).isCloseTo(2, within(0.05));
    assertThat(ratio(speeds, 3, 1)).isCloseTo(4, within(0.1));
    assertThat(speeds.decode(worker(3))).isEqualTo(speeds.prefill(worker(3)));
    assertThat(speeds.prefill(worker(4))).isEqualTo(1);
  }

  @Test
  void shouldNotCareForTheScaleOfTheConfiguredSteps() {
    LearnedSpeeds told =
        new LearnedSpeeds(PredictionConfig.builder().decode(5 * 6, 5 * 45).build());
    answers(told, SPEEDS, 150);
    LearnedSpeeds usual = speeds();
    answers(usual, SPEEDS, 150);

    assertThat(ratio(told, 3, 1)).isCloseTo(ratio(usual, 3, 1), within(1e-9));
  }

  /** Times that no line fits, with the long prompts on the fast rank and the short on the slow. */
  private static void prompts(LearnedSpeeds speeds, boolean withAnswers) {
    for (int i = 0; i < 500; i++) {
      int rank = i % 3;
      long tokens = rank == 2 ? 8_000 + 7L * i : 500L + i % 1_000;
      double millis = 16.5 + 0.0152 * tokens + 1e-6 * tokens * tokens;
      speeds.learn(worker(1L + rank), tokens, millis / SPEEDS[rank], true, false, 0.1);
      if (withAnswers) {
        speeds.learnAnswer(worker(1L + rank), 300, 300 * step(0.1) / SPEEDS[rank], 0.1);
      }
    }
  }

  @Test
  void shouldTrustAnswersWherePromptsMislead() {
    LearnedSpeeds misled = speeds();
    prompts(misled, false);
    LearnedSpeeds speeds = speeds();
    prompts(speeds, true);

    assertThat(ratio(misled, 3, 1)).isNotCloseTo(4, within(0.6));
    assertThat(ratio(speeds, 3, 1)).isCloseTo(4, within(0.6));
    assertThat(ratio(speeds, 2, 1)).isCloseTo(2, within(0.3));
  }

  @Test
  void shouldLearnNothingFromWhatIsNoMeasurement() {
    LearnedSpeeds speeds = speeds();
    answers(speeds, SPEEDS, 150);
    double before = speeds.prefill(worker(1));
    speeds.learnAnswer(worker(1), 7.5, 1e6, 0);
    speeds.learnAnswer(worker(1), -3, 1e6, 0);
    speeds.learnAnswer(worker(1), Double.NaN, 1e6, 0);
    speeds.learnAnswer(worker(1), 100, 0, 0);
    speeds.learnAnswer(worker(1), 100, Double.NaN, 0);

    assertThat(speeds.prefill(worker(1))).isEqualTo(before);
  }

  @Test
  void shouldFollowARankThatBecomesSlow() {
    LearnedSpeeds speeds = speeds();
    answers(speeds, new double[] {4, 4, 4}, 300);
    assertThat(ratio(speeds, 1, 2)).isCloseTo(1, within(0.05));
    answers(speeds, new double[] {1, 4, 4}, 1_500);

    assertThat(ratio(speeds, 1, 2)).isCloseTo(0.25, within(0.02));
  }

  @Test
  void shouldForgetARankThatLeaves() {
    LearnedSpeeds speeds = speeds();
    answers(speeds, SPEEDS, 150);
    speeds.remove(worker(3));

    assertThat(speeds.prefill(worker(3))).isEqualTo(1);
    assertThat(ratio(speeds, 2, 1)).isCloseTo(2, within(0.05));
  }

  private Booking book(ForecastingTracker tracker, long rank, long missTokens) {
    Booking booking =
        Booking.of(new BookingKey("r" + nextId++, 0), worker(rank), NO_HASHES, 0, missTokens)
            .ofOwnRequest(missTokens, missTokens);
    tracker.book(booking);
    return booking;
  }

  private void end(ForecastingTracker tracker, Booking booking, long outputTokens) {
    booking.ended(outputTokens);
    tracker.free(booking);
  }

  @Test
  void shouldLeaveOutOfAnAnswerWhatPromptsHeldUp() {
    LearnedSpeeds speeds = speeds();
    ForecastingTracker tracker =
        new ForecastingTracker(
            ActiveBlockTracker.create(1), () -> nanos, 16, PredictionConfig.ofDefaults(), speeds);
    for (int i = 0; i < 100; i++) {
      Booking held = book(tracker, 1, 1_000);
      Booking undisturbed = book(tracker, 2, 1_000);
      nanos += 50 * MILLI;
      tracker.markPrefillCompleted(held);
      tracker.markPrefillCompleted(undisturbed);
      // Fifty steps of 8 ms at both; then a long prompt keeps the first rank for one more.
      nanos += 400 * MILLI;
      end(tracker, undisturbed, 51);
      Booking longer = book(tracker, 1, 20_000);
      nanos += 300 * MILLI;
      tracker.markPrefillCompleted(longer);
      end(tracker, longer, 1);
      Booking alike = book(tracker, 2, 20_000);
      nanos += 300 * MILLI;
      tracker.markPrefillCompleted(alike);
      end(tracker, alike, 1);
      // 37 more steps of 8 ms.
      end(tracker, held, 51 + 1 + 37);
    }

    assertThat(ratio(speeds, 1, 2)).isCloseTo(1, within(0.05));
  }

  @Test
  void shouldTellSpeedsOfRanksThatComputeNoPrompts() {
    LearnedSpeeds speeds = speeds();
    ForecastingTracker tracker =
        new ForecastingTracker(
            ActiveBlockTracker.create(1), () -> nanos, 16, PredictionConfig.ofDefaults(), speeds);
    for (int i = 0; i < 100; i++) {
      for (long rank = 1; rank <= 2; rank++) {
        Booking booking =
            Booking.of(new BookingKey("r" + nextId++, 0), worker(rank), NO_HASHES, 0, 0)
                .ofOwnRequest(100, -1);
        tracker.book(booking);
        tracker.markPrefillCompleted(booking);
        nanos += rank * 500 * MILLI;
        end(tracker, booking, 101);
      }
    }

    assertThat(ratio(speeds, 1, 2)).isCloseTo(2, within(0.02));
  }
}
