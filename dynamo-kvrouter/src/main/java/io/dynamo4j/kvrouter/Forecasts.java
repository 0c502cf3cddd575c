// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What a prediction is made from, beside the rows of {@link WorkerCandidates}: columns that are
 * reused from decision to decision or belong to a {@link ForecastTable}, and the figures of the
 * whole fleet.
 *
 * <p><b>Threads.</b> Not thread-safe: one decision.
 */
final class Forecasts {
  double prefillMillis;
  double prefillMillisPerToken;
  double capacityPrice;
  double outputTokens;
  double residenceMillis;

  private final ForecastColumns own = new ForecastColumns();
  private ForecastColumns columns = own;
  private int size;
  private double nowMillis;
  private boolean tellsUse;

  /** Begins another decision of so many rows, each of which is then set. */
  void reset(int rows) {
    size = rows;
    columns = own;
    nowMillis = 0;
    tellsUse = false;
    own.ensure(rows);
  }

  /**
   * Begins another decision, whose rows are read where somebody keeps them; nothing is copied until
   * a row goes. The columns tell what ranks use, and must not change before the decision ends.
   *
   * @param now the decision's time on the columns' clock
   */
  void share(ForecastColumns kept, int rows, double now) {
    size = rows;
    columns = kept;
    nowMillis = now;
    tellsUse = true;
  }

  /** Returns whether this decision has a prediction. */
  boolean isPresent() {
    return size > 0;
  }

  /** Sets a row, after {@link #reset}. */
  void set(int row, double queue, int waits, int decodes, long tokens, double slower) {
    own.busyUntilMillis[row] = queue;
    own.setBookings(row, waits, decodes, tokens);
    own.slowdown[row] = slower;
  }

  /**
   * Says what share of its tokens a row's rank has given to bookings, so that nobody divides: what
   * {@link #bookedTokens} over the rank's capacity is, at most 1, 0 where it is unknown. Set for
   * each row or for none.
   */
  void setUsed(int row, double share) {
    tellsUse = true;
    own.used[row] = share;
  }

  void setFleet(FleetForecast fleet) {
    prefillMillis = fleet.prefillMillis();
    prefillMillisPerToken = fleet.prefillMillisPerToken();
    capacityPrice = fleet.capacityPrice();
    outputTokens = fleet.outputTokens();
    residenceMillis = fleet.residenceMillis();
  }

  FleetForecast fleet() {
    return new FleetForecast(
        prefillMillis, prefillMillisPerToken, capacityPrice, outputTokens, residenceMillis);
  }

  RankForecast rank(int row) {
    return new RankForecast(
        queueMillis(row), waiting(row), decoding(row), bookedTokens(row), slowdown(row));
  }

  /** Becomes equal to another decision's. */
  void copyFrom(Forecasts other) {
    reset(other.size);
    setFleet(other.fleet());
    own.copyFrom(other.columns, size);
    nowMillis = other.nowMillis;
    tellsUse = other.tellsUse;
  }

  /** Drops a row; the last one takes its place. */
  void removeRow(int row) {
    if (columns != own) {
      own.copyFrom(columns, size);
      columns = own;
    }
    own.move(--size, row);
  }

  /** Returns the columns, to be read as of {@link #nowMillis}. */
  ForecastColumns columns() {
    return columns;
  }

  /** Returns the time of the decision on the clock of the columns. */
  double nowMillis() {
    return nowMillis;
  }

  double queueMillis(int row) {
    double until = columns.busyUntilMillis[row];
    return until > nowMillis ? until - nowMillis : 0;
  }

  int waiting(int row) {
    return columns.waiting[row];
  }

  int decoding(int row) {
    return columns.decoding[row];
  }

  long bookedTokens(int row) {
    return columns.bookedTokens[row];
  }

  /** Returns whether the rows say what they use. */
  boolean tellsUse() {
    return tellsUse;
  }

  double slowdown(int row) {
    return columns.slowdown[row];
  }
}
