// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a prediction takes from each rank of one table, in columns by the rank's place in it, that
 * are written when a rank changes and not when somebody decides.
 *
 * <p>A rank's slowdown changes with the whole fleet's figure too. It is 1 in a wide band, so only
 * ranks near the band's ends, or beyond them, are looked at in every decision; the others once the
 * fleet's figure has moved by more than {@link #REACH} since they were found well inside.
 *
 * <p><b>Threads.</b> Belongs to the router's lock. <b>Cost.</b> O(1) a change, O(restless ranks) a
 * decision.
 */
final class ForecastTable {
  /**
   * How far the fleet's figure may move, as a part of it, before calm ranks are looked at again:
   * nobody leaves {@link RankTimes#isCalm}'s distance from the band's ends by that.
   */
  private static final double REACH = 0.05;

  private final ForecastColumns columns = new ForecastColumns();
  private @Nullable RankTable table;
  private @Nullable RankTimes[] ranks = {};
  private int size;
  private int busy;

  /** The fleet's figure when all ranks were last looked at. */
  private double lookedAt = Double.NaN;

  /** Places of ranks to be looked at in each decision. */
  private int[] restless = {};

  private int restlessCount;
  private boolean[] isRestless = {};

  /** Returns whether the columns are those of a table's ranks, in its order. */
  boolean isOf(@Nullable RankTable other) {
    return other != null && table == other;
  }

  /** Begins anew with the ranks of a table, each of which is then {@linkplain #put put}. */
  void begin(RankTable next) {
    forget();
    table = next;
    size = next.size();
    columns.ensure(size);
    ranks = new @Nullable RankTimes[size];
    restless = new int[size];
    isRestless = new boolean[size];
  }

  void put(int place, RankTimes rank) {
    ranks[place] = rank;
    rank.place = place;
    columns.waiting[place] = 0;
    changed(rank);
  }

  /** Forgets all ranks: somebody left, or is another one now. */
  void forget() {
    for (RankTimes rank : ranks) {
      if (rank != null) {
        rank.place = -1;
      }
    }
    Arrays.fill(ranks, null);
    table = null;
    busy = 0;
    restlessCount = 0;
    lookedAt = Double.NaN;
  }

  /** Takes over a rank's figures, after each change of them. */
  void changed(RankTimes rank) {
    int place = rank.place;
    if (place < 0) {
      return;
    }
    busy += (rank.waiting() > 0 ? 1 : 0) - (columns.waiting[place] > 0 ? 1 : 0);
    columns.setBookings(place, rank.waiting(), rank.decoding(), rank.promptTokens());
    columns.busyUntilMillis[place] = rank.busyUntilMillis();
    columns.used[place] = rank.used();
  }

  /** Looks again at how slow a rank is, as it has shown more of that. */
  void observed(RankTimes rank) {
    if (rank.place >= 0) {
      look(rank.place);
    }
  }

  private void look(int place) {
    if (!isRestless[place]) {
      isRestless[place] = true;
      restless[restlessCount++] = place;
    }
  }

  /** Returns at how many ranks somebody waits. */
  int busy() {
    return busy;
  }

  /** Returns how many ranks the next decision looks at. */
  int restlessCount() {
    return restlessCount;
  }

  /**
   * Lets a decision read the columns.
   *
   * @param fleet observed over predicted time of all ranks
   */
  void project(Forecasts forecasts, double nowMillis, double fleet) {
    settle(fleet);
    forecasts.share(columns, size, nowMillis);
  }

  private void settle(double fleet) {
    if (!(Math.abs(fleet - lookedAt) < REACH * lookedAt)) {
      lookedAt = fleet;
      for (int place = 0; place < size; place++) {
        look(place);
      }
    }
    int kept = 0;
    for (int i = 0; i < restlessCount; i++) {
      int place = restless[i];
      RankTimes rank = ranks[place];
      if (rank == null) {
        continue;
      }
      columns.slowdown[place] = rank.slowdown(fleet);
      if (rank.isCalm(lookedAt)) {
        isRestless[place] = false;
      } else {
        restless[kept++] = place;
      }
    }
    restlessCount = kept;
  }
}
