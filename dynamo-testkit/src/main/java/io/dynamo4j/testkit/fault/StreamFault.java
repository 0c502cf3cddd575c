// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.model.ErrorType;
import org.jspecify.annotations.Nullable;

/** What befalls one attempt's stream: at most one end, and a delay for all its frames. */
public final class StreamFault {
  private static final long NEVER = Long.MAX_VALUE;

  /** Nothing befalls the stream. */
  private static final StreamFault NONE = new StreamFault(End.NONE, null, NEVER, 0, 0, false);

  private final End end;
  private final @Nullable ErrorType errorType;
  private final long afterItems;
  private final long latencyNanos;
  private final long jitterNanos;
  private final boolean losesFramesInFlight;

  private StreamFault(
      End end,
      @Nullable ErrorType errorType,
      long afterItems,
      long latencyNanos,
      long jitterNanos,
      boolean losesFramesInFlight) {
    this.end = end;
    this.errorType = errorType;
    this.afterItems = afterItems;
    this.latencyNanos = latencyNanos;
    this.jitterNanos = jitterNanos;
    this.losesFramesInFlight = losesFramesInFlight;
  }

  /** Returns no fault at all. */
  public static StreamFault none() {
    return NONE;
  }

  /** Fails the stream before anything is sent and before it is opened. */
  public static StreamFault refused(ErrorType type) {
    return new StreamFault(End.REFUSED, type, 0, 0, 0, false);
  }

  /**
   * Breaks the stream once {@code items} have come from the worker, which sees a cancel.
   *
   * @param items 0 breaks it when it opens; a stream that is shorter ends as it would
   */
  public static StreamFault failedAfter(long items, ErrorType type) {
    return new StreamFault(End.FAILED, type, notNegative(items, "items"), 0, 0, false);
  }

  /** Breaks the stream in place of its completion: after the last item. */
  public static StreamFault failedAtEnd(ErrorType type) {
    return new StreamFault(End.FAILED, type, NEVER, 0, 0, false);
  }

  /**
   * Completes the stream once {@code items} have come from the worker, which sees a cancel: a clean
   * end whose last item says nothing of an end.
   */
  public static StreamFault endedAfter(long items) {
    return new StreamFault(End.COMPLETED, null, notNegative(items, "items"), 0, 0, false);
  }

  /**
   * Delays every signal by {@code latencyNanos} plus up to {@code jitterNanos}; never reorders
   * within the stream.
   */
  public StreamFault withLatency(long latencyNanos, long jitterNanos) {
    return new StreamFault(
        end,
        errorType,
        afterItems,
        notNegative(latencyNanos, "latencyNanos"),
        notNegative(jitterNanos, "jitterNanos"),
        losesFramesInFlight);
  }

  /** Lets an error overtake and destroy the frames that its latency holds back. */
  public StreamFault losingFramesInFlight() {
    return new StreamFault(end, errorType, afterItems, latencyNanos, jitterNanos, true);
  }

  boolean isRefused() {
    return end == End.REFUSED;
  }

  boolean failsAtEnd() {
    return end == End.FAILED && afterItems == NEVER;
  }

  boolean endsCleanly() {
    return end == End.COMPLETED;
  }

  /** Says whether the stream ends when this many items have come. */
  boolean cutsAfter(long items) {
    return end != End.NONE && items == afterItems;
  }

  ErrorType errorType() {
    return errorType == null ? ErrorType.INTERNAL : errorType;
  }

  long latencyNanos() {
    return latencyNanos;
  }

  long jitterNanos() {
    return jitterNanos;
  }

  boolean isDelayed() {
    return latencyNanos > 0 || jitterNanos > 0;
  }

  boolean losesFrames() {
    return losesFramesInFlight;
  }

  private static long notNegative(long value, String name) {
    if (value < 0) {
      throw new IllegalArgumentException("value must not be negative: " + name + "=" + value);
    }
    return value;
  }

  @Override
  public String toString() {
    return "StreamFault[end="
        + end
        + ", errorType="
        + errorType
        + ", afterItems="
        + afterItems
        + ", latencyNanos="
        + latencyNanos
        + ", jitterNanos="
        + jitterNanos
        + ", losesFramesInFlight="
        + losesFramesInFlight
        + "]";
  }

  private enum End {
    NONE,
    REFUSED,
    FAILED,
    COMPLETED
  }
}
