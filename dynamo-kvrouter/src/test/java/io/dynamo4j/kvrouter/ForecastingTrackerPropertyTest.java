// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Random lives of bookings, on the tracker and on plain lists, compared after every step. */
class ForecastingTrackerPropertyTest {
  private static final long MILLI = 1_000_000;
  private static final int BLOCK = 16;
  private static final int WORKERS = 5;
  private static final long[] NO_HASHES = {};

  /** One booking as the reference sees it. */
  private static final class Life {
    final Booking booking;
    final double prefillMillis;
    boolean firstToken;

    Life(Booking booking, double prefillMillis) {
      this.booking = booking;
      this.prefillMillis = prefillMillis;
    }

    boolean waits() {
      return booking.missTokens() >= 0 && !firstToken;
    }
  }

  /** Sums over lists; factors are taken from the tracker under test, which has its own tests. */
  private static class Reference {
    final Map<WorkerWithDpRank, List<Life>> lives = new LinkedHashMap<>();
    final Map<WorkerWithDpRank, Double> busyUntil = new LinkedHashMap<>();

    List<Life> of(WorkerWithDpRank rank) {
      return lives.computeIfAbsent(rank, r -> new ArrayList<>());
    }

    double pending(WorkerWithDpRank rank) {
      return of(rank).stream().filter(Life::waits).mapToDouble(life -> life.prefillMillis).sum();
    }

    void booked(Life life, double now, double factor) {
      WorkerWithDpRank rank = life.booking.worker();
      of(rank).add(life);
      if (life.waits()) {
        double from = Math.max(now, busyUntil.getOrDefault(rank, 0.0));
        busyUntil.put(rank, from + factor * life.prefillMillis);
      }
    }

    void prefillEnded(WorkerWithDpRank rank, double now, double factor) {
      busyUntil.put(rank, now + factor * pending(rank));
    }

    void left(WorkerWithDpRank rank) {
      lives.remove(rank);
      busyUntil.remove(rank);
    }
  }

  /** Forgets to take what ends early out of the queue. */
  private static final class BrokenReference extends Reference {
    @Override
    void prefillEnded(WorkerWithDpRank rank, double now, double factor) {
      busyUntil.put(rank, now + factor * (pending(rank) + 1));
    }
  }

  private static final class History {
    private final RandomSource random;
    private final Reference reference;
    private long nanos;
    private int nextId;
    private final ForecastingTracker tracker =
        new ForecastingTracker(
            ActiveBlockTracker.create(1), () -> nanos, BLOCK, PredictionConfig.ofDefaults());
    private final WorkerCandidates rows = WorkerCandidates.create();

    History(long seed, Reference reference) {
      this.random = RandomSource.seeded(seed);
      this.reference = reference;
    }

    void play(int steps) {
      for (int i = 0; i < steps; i++) {
        step();
        compare();
      }
      for (long id = 1; id <= WORKERS; id++) {
        for (Life life : List.copyOf(reference.of(WorkerWithDpRank.of(id)))) {
          free(life);
        }
      }
      compare();
    }

    private double now() {
      return nanos / (double) MILLI;
    }

    private void step() {
      WorkerWithDpRank rank = WorkerWithDpRank.of(1L + random.nextInt(WORKERS));
      List<Life> here = reference.of(rank);
      int kind = random.nextInt(20);
      if (kind < 8 || here.isEmpty()) {
        book(rank);
      } else if (kind < 13) {
        mark(here.get(random.nextInt(here.size())));
      } else if (kind < 17) {
        free(here.get(random.nextInt(here.size())));
      } else if (kind < 18 && random.nextInt(6) == 0) {
        tracker.removeRank(rank);
        reference.left(rank);
      } else {
        nanos += random.nextInt(400) * MILLI;
      }
    }

    private void book(WorkerWithDpRank rank) {
      long miss = random.nextInt(10) == 0 ? -1 : random.nextInt(20_000);
      Booking booking =
          Booking.of(new BookingKey("r" + nextId++, 0), rank, NO_HASHES, 0, Math.max(0, miss));
      if (random.nextInt(4) > 0) {
        booking.ofOwnRequest(Math.max(0, miss) + random.nextInt(3_000), miss);
      }
      double factor = factor(rank);
      double millis = tracker.prefills().millis(booking.missTokens());
      tracker.book(booking);
      reference.booked(new Life(booking, millis), now(), factor);
    }

    private void mark(Life life) {
      boolean waited = life.waits();
      tracker.markPrefillCompleted(life.booking);
      life.firstToken = true;
      if (waited) {
        reference.prefillEnded(life.booking.worker(), now(), factor(life.booking.worker()));
      }
    }

    private void free(Life life) {
      boolean waited = life.waits();
      tracker.free(life.booking);
      reference.of(life.booking.worker()).remove(life);
      if (waited) {
        reference.prefillEnded(life.booking.worker(), now(), factor(life.booking.worker()));
      }
    }

    private double factor(WorkerWithDpRank rank) {
      rows.reset(10, BLOCK, 0, true);
      rows.add(rank, 0, 0, 0);
      tracker.project(NO_HASHES, 0, rows);
      return rows.forecasts().slowdown(0);
    }

    private void compare() {
      rows.reset(10, BLOCK, 0, true);
      for (long id = 1; id <= WORKERS; id++) {
        rows.add(WorkerWithDpRank.of(id), 0, 0, 0);
      }
      tracker.project(NO_HASHES, 0, rows);
      FleetForecast fleet = Objects.requireNonNull(rows.fleetForecast());
      assertThat(fleet.prefillMillis()).isFinite().isNotNegative();
      assertThat(fleet.prefillMillisPerToken()).isFinite().isNotNegative();
      assertThat(fleet.capacityPrice()).isBetween(1.0, 6.0);
      assertThat(fleet.outputTokens()).isBetween(0.0, 300.0);
      assertThat(fleet.residenceMillis()).isFinite().isNotNegative();
      for (int row = 0; row < WORKERS; row++) {
        compare(rows.worker(row), Objects.requireNonNull(rows.rankForecast(row)));
      }
    }

    private void compare(WorkerWithDpRank rank, RankForecast actual) {
      List<Life> here = reference.of(rank);
      long waiting = here.stream().filter(Life::waits).count();
      double queue = Math.max(0, reference.busyUntil.getOrDefault(rank, 0.0) - now());
      assertThat(actual.waitingRequests()).isEqualTo((int) waiting);
      assertThat(actual.decodingRequests()).isEqualTo((int) (here.size() - waiting));
      assertThat(actual.bookedTokens())
          .isEqualTo(here.stream().mapToLong(l -> Math.max(0, l.booking.promptTokens())).sum());
      assertThat(actual.queueMillis()).isCloseTo(queue, within(1e-6));
      assertThat(actual.slowdown()).isBetween(0.25, 8.0);
    }
  }

  @Property(tries = 150)
  void shouldAgreeWithPlainListsAfterEveryStep(@ForAll long seed) {
    new History(seed, new Reference()).play(200);
  }

  @Example
  void shouldCatchAReferenceThatDiffers() {
    assertThatThrownBy(() -> new History(5, new BrokenReference()).play(200))
        .isInstanceOf(AssertionError.class);
  }
}
