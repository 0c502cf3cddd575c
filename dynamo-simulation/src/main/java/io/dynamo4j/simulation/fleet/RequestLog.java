// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import java.util.Arrays;
import java.util.Objects;

/**
 * What happened to each request of a run, one column an array, one row a trace row.
 *
 * <p>Times are virtual nanoseconds; {@link #NEVER} where a thing did not happen.
 *
 * <p><b>Threads.</b> Not thread-safe: written by the run, read after it.
 */
public final class RequestLog {
  /** Marks a time that never came and a worker that was never chosen. */
  public static final long NEVER = -1;

  private final long[] arrivalNanos;
  private final int[] inputTokens;
  private final long[] reusedTokens;
  private final long[] firstTokenNanos;
  private final long[] lastTokenNanos;
  private final int[] deliveredTokens;
  private final int[] firstWorker;
  private final boolean[] completed;

  RequestLog(int requests) {
    this.arrivalNanos = filled(requests);
    this.inputTokens = new int[requests];
    this.reusedTokens = filled(requests);
    this.firstTokenNanos = filled(requests);
    this.lastTokenNanos = filled(requests);
    this.deliveredTokens = new int[requests];
    this.firstWorker = new int[requests];
    Arrays.fill(firstWorker, (int) NEVER);
    this.completed = new boolean[requests];
  }

  private static long[] filled(int length) {
    long[] column = new long[length];
    Arrays.fill(column, NEVER);
    return column;
  }

  /** Returns the number of rows. */
  public int size() {
    return arrivalNanos.length;
  }

  public long arrivalNanos(int row) {
    return arrivalNanos[Objects.checkIndex(row, size())];
  }

  public int inputTokens(int row) {
    return inputTokens[Objects.checkIndex(row, size())];
  }

  /** Returns input tokens that the first admission found cached; 0 if none admitted it. */
  public long reusedTokens(int row) {
    return Math.max(0, reusedTokens[Objects.checkIndex(row, size())]);
  }

  public long firstTokenNanos(int row) {
    return firstTokenNanos[Objects.checkIndex(row, size())];
  }

  public long lastTokenNanos(int row) {
    return lastTokenNanos[Objects.checkIndex(row, size())];
  }

  public int deliveredTokens(int row) {
    return deliveredTokens[Objects.checkIndex(row, size())];
  }

  /** Returns the position in the fleet of the worker that was chosen first. */
  public int firstWorker(int row) {
    return firstWorker[Objects.checkIndex(row, size())];
  }

  public boolean completed(int row) {
    return completed[Objects.checkIndex(row, size())];
  }

  void arrived(int row, long nanos, int tokens) {
    arrivalNanos[row] = nanos;
    inputTokens[row] = tokens;
  }

  /** Notes an admission; false if the row had one before. */
  boolean admitted(int row, long cachedTokens) {
    if (reusedTokens[row] != NEVER) {
      return false;
    }
    reusedTokens[row] = Math.min(cachedTokens, inputTokens[row]);
    return true;
  }

  void chosen(int row, int worker) {
    if (firstWorker[row] == NEVER) {
      firstWorker[row] = worker;
    }
  }

  void delivered(int row, int tokens, long nanos) {
    if (tokens == 0) {
      return;
    }
    if (firstTokenNanos[row] == NEVER) {
      firstTokenNanos[row] = nanos;
    }
    lastTokenNanos[row] = nanos;
    deliveredTokens[row] += tokens;
  }

  void completed(int row, boolean value) {
    completed[row] = value;
  }
}
