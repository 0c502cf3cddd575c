// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The recent gaps between an attempt's tokens, as far as the worker and not the client made them.
 *
 * <p>While tokens come so fast that the floor decides whatever the single gaps are, the time is
 * taken of every {@value StallDetection#GAPS}th token only. What a token in between means for the
 * silence before it is found out by {@link #looked}. Where the gaps matter, each is taken.
 *
 * <p>Allocates nothing until the first gap. Belongs to one lane.
 */
final class PaceMeter {
  private final StallDetection detection;
  private final boolean maySample;
  private long @Nullable [] gaps;
  private int next;
  private int known;
  private long longest;
  private long lastNanos;
  private boolean started;
  private boolean timing;

  private boolean sampling;
  private int sampled;
  private long sampledNanos;
  private boolean untimed;
  private boolean silent;

  /**
   * Makes a meter that knows no pace yet.
   *
   * @param maySample whether a token may pass without its time
   */
  PaceMeter(StallDetection detection, boolean maySample) {
    this.detection = detection;
    this.maySample = maySample && detection.isCoarse();
  }

  /** Forgets the pace: another worker goes on. */
  void restart() {
    known = 0;
    next = 0;
    longest = 0;
    started = false;
    timing = false;
    sampling = false;
    sampled = 0;
    sampledNanos = 0;
    untimed = false;
    silent = false;
  }

  /**
   * A token came, and passes without its time if that is not needed.
   *
   * @param clientWaits whether the client asks for another one at once
   * @return false if {@link #tokenCame} is to be told the time of the token
   */
  boolean passesUntimed(boolean clientWaits) {
    if (!sampling || !timing || !clientWaits || silent || sampled == StallDetection.GAPS - 1) {
      return false;
    }
    sampled++;
    untimed = true;
    return true;
  }

  /**
   * A token came.
   *
   * @param clientWaits whether the client asks for another one at once
   */
  void tokenCame(long nowNanos, boolean clientWaits) {
    if (timing) {
      sampledNanos += nowNanos - lastNanos;
      sampled++;
      if (!sampling || silent || sampled == StallDetection.GAPS) {
        judge();
      }
    }
    lastNanos = nowNanos;
    started = true;
    timing = clientWaits;
    untimed = false;
    silent = false;
  }

  /** Remembers the gaps since it did so last: none of several was longer than all together. */
  private void judge() {
    long gap = sampledNanos;
    if (sampling) {
      rememberAll(gap);
    } else {
      remember(gap);
    }
    sampling =
        maySample
            && known == StallDetection.GAPS
            && detection.isFloorAbove(sampling ? gap : sumOfGaps());
    sampled = 0;
    sampledNanos = 0;
  }

  private void rememberAll(long gap) {
    Arrays.fill(gaps(), gap);
    longest = gap;
  }

  private void remember(long gap) {
    long[] ring = gaps();
    long forgotten = ring[next];
    ring[next] = gap;
    next = (next + 1) % ring.length;
    known = Math.min(known + 1, ring.length);
    if (gap >= longest) {
      longest = gap;
    } else if (forgotten == longest) {
      longest = 0;
      for (int i = 0; i < known; i++) {
        longest = Math.max(longest, ring[i]);
      }
    }
  }

  private long sumOfGaps() {
    long sum = 0;
    for (long gap : gaps()) {
      sum += gap;
    }
    return sum;
  }

  private long[] gaps() {
    long[] ring = gaps;
    if (ring == null) {
      ring = new long[StallDetection.GAPS];
      gaps = ring;
    }
    return ring;
  }

  /** The client asks for a token after it had got all it had asked for. */
  void demanded(long nowNanos) {
    if (started && !timing) {
      lastNanos = nowNanos;
      timing = true;
    }
  }

  /**
   * Returns after how much silence somebody has to look whether a token passed untimed, or 0 if
   * there is no need to.
   */
  long lookNanos() {
    return sampling && !silent ? detection.lookNanos() : 0;
  }

  /**
   * Somebody looks; if there was silence, the next token is timed.
   *
   * @return whether a token has come since one was timed or somebody looked last
   */
  boolean looked() {
    boolean came = untimed;
    untimed = false;
    silent = !came;
    return came;
  }

  /** Returns how long the next token may take, or 0 while that is not known. */
  long boundNanos() {
    return known < StallDetection.GAPS ? 0 : detection.boundNanos(longest);
  }
}
