// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Decisions over a whole table, whose columns are kept, against the same decisions over rows that
 * are looked at one by one: forecasts and costs are the same bit for bit after every step.
 */
class ForecastTablePropertyTest {
  private static final long MILLI = 1_000_000;
  private static final int BLOCK = 16;
  private static final int WORKERS = 24;
  private static final long[] NO_HASHES = {};
  private static final SchedulingRequest REQUEST =
      RouterFixture.request("r", RouterFixture.tokens(0, 1));

  /** Two trackers that are told the same, of which one is asked by tables. */
  private static class History {
    final RandomSource random;
    private long nanos;
    private int nextId;
    private int slowdowns;
    private final List<List<Booking>> lives = new ArrayList<>();
    private final ForecastingTracker byTable = tracker();
    private final ForecastingTracker byRow = tracker();
    private final WorkerCandidates tableRows = WorkerCandidates.create();
    private final WorkerCandidates singleRows = WorkerCandidates.create();
    private final RankOverlap overlap = new RankOverlap();
    private final PredictedWorkerScorer scorer =
        PredictedWorkerScorer.of(KvRouterConfig.ofDefaults(), PredictionConfig.ofDefaults());
    private RankTable table = RankTable.EMPTY;

    History(long seed) {
      random = RandomSource.seeded(seed);
      renewTable();
    }

    private ForecastingTracker tracker() {
      return new ForecastingTracker(
          ActiveBlockTracker.create(1), () -> nanos, BLOCK, PredictionConfig.ofDefaults());
    }

    private void renewTable() {
      List<WorkerInstance> instances = new ArrayList<>();
      for (int id = 0; id < WORKERS; id++) {
        if (random.nextInt(6) > 0) {
          instances.add(
              WorkerInstance.builder(id, InMemoryRequestPlane.address("w" + id))
                  .totalKvBlocks(random.nextInt(4) == 0 ? 2_048 : 65_536)
                  .maxBatchedTokens(random.nextInt(4) == 0 ? 512 : 8_192)
                  .build());
        }
      }
      table = RankTable.of(instances);
      overlap.reset(table);
    }

    History play(int steps) {
      for (int i = 0; i < steps; i++) {
        step();
        compare();
      }
      return this;
    }

    private void step() {
      int kind = random.nextInt(100);
      if (kind < 40 || lives.isEmpty()) {
        book();
      } else if (kind < 65) {
        List<Booking> life = lives.get(random.nextInt(lives.size()));
        byTable.markPrefillCompleted(life.get(0));
        byRow.markPrefillCompleted(life.get(1));
      } else if (kind < 85) {
        List<Booking> life = lives.remove(random.nextInt(lives.size()));
        byTable.free(life.get(0));
        byRow.free(life.get(1));
      } else if (kind < 87) {
        remove(random.nextInt(WORKERS));
      } else if (kind < 89) {
        renewTable();
      } else {
        nanos += random.nextInt(random.nextInt(8) == 0 ? 9_000 : 60) * MILLI;
      }
    }

    private void book() {
      long worker = random.nextInt(random.nextInt(2) == 0 ? 4 : WORKERS);
      int tokens = random.nextInt(20_000);
      long miss = random.nextInt(10) == 0 ? -1 : random.nextInt(tokens + 1);
      boolean isOwn = random.nextInt(5) > 0;
      List<Booking> life = new ArrayList<>();
      BookingKey key = new BookingKey("r" + nextId++, 0);
      for (ForecastingTracker tracker : List.of(byTable, byRow)) {
        Booking booking =
            Booking.of(key, RouterFixture.worker(worker), NO_HASHES, 0, Math.max(0, miss));
        if (isOwn) {
          booking.ofOwnRequest(tokens, miss);
        }
        tracker.book(booking);
        life.add(booking);
      }
      lives.add(life);
    }

    /** What the tracker asked by tables is told of a rank that left. */
    void remove(long worker) {
      byTable.removeRank(RouterFixture.worker(worker));
      byRow.removeRank(RouterFixture.worker(worker));
      lives.removeIf(life -> life.get(0).worker().workerId() == worker);
    }

    private void compare() {
      int promptTokens = 1 + random.nextInt(9_000);
      fill(promptTokens);
      byTable.project(NO_HASHES, 0, tableRows);
      byRow.project(NO_HASHES, 0, singleRows);
      assertThat(tableRows.fleetForecast()).isEqualTo(singleRows.fleetForecast());
      compareRows();
      if (tableRows.size() > 1 && random.nextInt(4) == 0) {
        int row = random.nextInt(tableRows.size());
        tableRows.removeRow(row);
        singleRows.removeRow(row);
        compareRows();
      }
      if (random.nextInt(2) == 0) {
        byTable.project(NO_HASHES, 0, singleRows); // of the same ranks, but not by the table
        byRow.project(NO_HASHES, 0, tableRows);
        compareRows();
      }
    }

    private void fill(int promptTokens) {
      tableRows.reset(promptTokens, BLOCK, 0, true);
      singleRows.reset(promptTokens, BLOCK, 0, true);
      int[] all = new int[table.size()];
      for (int place = 0; place < all.length; place++) {
        all[place] = place;
        singleRows.add(table.rank(place), 0, 0, 0);
        singleRows.setCapacity(place, table.totalBlocks(place), table.batchTokens(place));
      }
      overlap.spread(null);
      tableRows.addAll(table, all, all.length, overlap);
      tableRows.setCapacities(table);
    }

    private void compareRows() {
      int count = tableRows.size();
      double[] costs = new double[count];
      if (count > 0) {
        scorer.addCosts(REQUEST, tableRows, costs);
      }
      for (int row = 0; row < count; row++) {
        assertThat(tableRows.rankForecast(row)).isEqualTo(singleRows.rankForecast(row));
        assertThat(costs[row]).isEqualTo(scorer.cost(REQUEST, singleRows, row));
        slowdowns += singleRows.forecasts().slowdown(row) == 1 ? 0 : 1;
      }
    }
  }

  /** Does not hear of ranks that leave. */
  private static final class BrokenHistory extends History {
    BrokenHistory(long seed) {
      super(seed);
    }

    @Override
    void remove(long worker) {
      super.byRow.removeRank(RouterFixture.worker(worker));
      super.lives.removeIf(life -> life.get(0).worker().workerId() == worker);
    }
  }

  @Property(tries = 60)
  void shouldForecastAndCostTheSameByTableAndByRow(@ForAll long seed) {
    new History(seed).play(250);
  }

  @Example
  void shouldMeetRanksThatAreSlowerThanTheFleet() {
    assertThat(new History(3).play(1_000).slowdowns).isPositive();
  }

  @Example
  void shouldCatchATrackerThatMissesARemoval() {
    assertThatThrownBy(() -> new BrokenHistory(5).play(1_000)).isInstanceOf(AssertionError.class);
  }
}
