// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import java.util.Objects;

/**
 * One request of a trace: when it arrives, how long it is, and which blocks its prompt consists of.
 *
 * <p>Immutable; the array of ids is handed over, not copied.
 */
public final class TraceRow {
  private final double timestampMillis;
  private final int inputLength;
  private final int outputLength;
  private final long[] hashIds;

  private TraceRow(double timestampMillis, int inputLength, int outputLength, long[] hashIds) {
    this.timestampMillis = timestampMillis;
    this.inputLength = inputLength;
    this.outputLength = outputLength;
    this.hashIds = Objects.requireNonNull(hashIds, "hashIds");
  }

  /**
   * Returns a row.
   *
   * @param hashIds one non-negative id for each full block of the prompt, and perhaps one for the
   *     rest; equal ids are equal content
   */
  public static TraceRow of(
      double timestampMillis, int inputLength, int outputLength, long[] hashIds) {
    return new TraceRow(timestampMillis, inputLength, outputLength, hashIds);
  }

  /** Returns the arrival in milliseconds from the trace's origin. */
  public double timestampMillis() {
    return timestampMillis;
  }

  /** Returns the arrival in nanoseconds when the trace runs {@code speedup} times as fast. */
  public long arrivalNanos(double speedup) {
    return Math.round(timestampMillis / speedup * 1e6);
  }

  /** Returns the tokens of the prompt, at least 1. */
  public int inputLength() {
    return inputLength;
  }

  /** Returns the tokens of the answer, at least 1. */
  public int outputLength() {
    return outputLength;
  }

  public int hashIdCount() {
    return hashIds.length;
  }

  public long hashId(int index) {
    return hashIds[index];
  }

  @Override
  public String toString() {
    return "TraceRow[timestampMillis="
        + timestampMillis
        + ", inputLength="
        + inputLength
        + ", outputLength="
        + outputLength
        + ", hashIds="
        + hashIds.length
        + "]";
  }
}
