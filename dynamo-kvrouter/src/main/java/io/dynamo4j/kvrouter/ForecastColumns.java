// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Arrays;

/**
 * What a prediction takes from each rank, as columns of numbers.
 *
 * <p>Two columns say again as floating-point numbers what others say as whole ones, because to
 * convert a number, or to branch on one, costs a decision more than to read it.
 *
 * <p><b>Threads.</b> Not thread-safe.
 */
final class ForecastColumns {
  private static final int MIN_ROWS = 16;

  /** When the prefills ahead end, on the clock of whoever wrote the column. */
  double[] busyUntilMillis = {};

  int[] waiting = {};
  int[] decoding = {};
  long[] bookedTokens = {};
  double[] slowdown = {};

  /** Share of a rank's tokens that bookings hold, 0 if unknown. */
  double[] used = {};

  /** {@link #waiting} as it is multiplied with. */
  double[] waitingNumber = {};

  /** 1 where anybody decodes, else 0. */
  double[] anyDecoding = {};

  /** Makes room for so many rows and keeps those that there are. */
  void ensure(int rows) {
    if (busyUntilMillis.length >= rows) {
      return;
    }
    int length = Math.max(MIN_ROWS, Math.max(rows, busyUntilMillis.length * 2));
    busyUntilMillis = Arrays.copyOf(busyUntilMillis, length);
    waiting = Arrays.copyOf(waiting, length);
    decoding = Arrays.copyOf(decoding, length);
    bookedTokens = Arrays.copyOf(bookedTokens, length);
    slowdown = Arrays.copyOf(slowdown, length);
    used = Arrays.copyOf(used, length);
    waitingNumber = Arrays.copyOf(waitingNumber, length);
    anyDecoding = Arrays.copyOf(anyDecoding, length);
  }

  /** Sets who waits and decodes in a row, and what they hold. */
  void setBookings(int row, int waits, int decodes, long tokens) {
    waiting[row] = waits;
    decoding[row] = decodes;
    bookedTokens[row] = tokens;
    waitingNumber[row] = waits;
    anyDecoding[row] = decodes > 0 ? 1 : 0;
  }

  /** Writes one row over another. */
  void move(int from, int to) {
    setBookings(to, waiting[from], decoding[from], bookedTokens[from]);
    busyUntilMillis[to] = busyUntilMillis[from];
    slowdown[to] = slowdown[from];
    used[to] = used[from];
  }

  /** Takes over the first rows of another. */
  void copyFrom(ForecastColumns other, int rows) {
    ensure(rows);
    System.arraycopy(other.busyUntilMillis, 0, busyUntilMillis, 0, rows);
    System.arraycopy(other.waiting, 0, waiting, 0, rows);
    System.arraycopy(other.decoding, 0, decoding, 0, rows);
    System.arraycopy(other.bookedTokens, 0, bookedTokens, 0, rows);
    System.arraycopy(other.slowdown, 0, slowdown, 0, rows);
    System.arraycopy(other.used, 0, used, 0, rows);
    System.arraycopy(other.waitingNumber, 0, waitingNumber, 0, rows);
    System.arraycopy(other.anyDecoding, 0, anyDecoding, 0, rows);
  }
}
