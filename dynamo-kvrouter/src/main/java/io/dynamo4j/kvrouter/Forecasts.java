// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Arrays;

/**
 * What a prediction is made from, beside the rows of {@link WorkerCandidates}: columns that are
 * reused from decision to decision, and the figures of the whole fleet.
 *
 * <p><b>Threads.</b> Not thread-safe: one decision.
 */
final class Forecasts {
  double prefillMillis;
  double prefillMillisPerToken;
  double capacityPrice;
  double outputTokens;
  double residenceMillis;

  private int size;
  private double[] queueMillis = {};
  private int[] waiting = {};
  private int[] decoding = {};
  private long[] bookedTokens = {};
  private double[] slowdown = {};

  /** Begins another decision of so many rows, each of which is then set. */
  void reset(int rows) {
    size = rows;
    if (queueMillis.length < rows) {
      int length = Math.max(16, Math.max(rows, queueMillis.length * 2));
      queueMillis = Arrays.copyOf(queueMillis, length);
      waiting = Arrays.copyOf(waiting, length);
      decoding = Arrays.copyOf(decoding, length);
      bookedTokens = Arrays.copyOf(bookedTokens, length);
      slowdown = Arrays.copyOf(slowdown, length);
    }
  }

  /** Returns whether this decision has a prediction. */
  boolean isPresent() {
    return size > 0;
  }

  void set(int row, double queue, int waits, int decodes, long tokens, double slower) {
    queueMillis[row] = queue;
    waiting[row] = waits;
    decoding[row] = decodes;
    bookedTokens[row] = tokens;
    slowdown[row] = slower;
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
        queueMillis[row], waiting[row], decoding[row], bookedTokens[row], slowdown[row]);
  }

  /** Becomes equal to another decision's. */
  void copyFrom(Forecasts other) {
    reset(other.size);
    setFleet(other.fleet());
    System.arraycopy(other.queueMillis, 0, queueMillis, 0, size);
    System.arraycopy(other.waiting, 0, waiting, 0, size);
    System.arraycopy(other.decoding, 0, decoding, 0, size);
    System.arraycopy(other.bookedTokens, 0, bookedTokens, 0, size);
    System.arraycopy(other.slowdown, 0, slowdown, 0, size);
  }

  /** Drops a row; the last one takes its place. */
  void removeRow(int row) {
    int last = --size;
    set(row, queueMillis[last], waiting[last], decoding[last], bookedTokens[last], slowdown[last]);
  }

  double queueMillis(int row) {
    return queueMillis[row];
  }

  int waiting(int row) {
    return waiting[row];
  }

  int decoding(int row) {
    return decoding[row];
  }

  long bookedTokens(int row) {
    return bookedTokens[row];
  }

  double slowdown(int row) {
    return slowdown[row];
  }
}
