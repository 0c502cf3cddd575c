// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import org.jspecify.annotations.Nullable;

/**
 * The recent gaps between an attempt's tokens, as far as the worker and not the client made them.
 * Allocates nothing until the first gap. Belongs to one lane.
 */
final class PaceMeter {
  private final StallDetection detection;
  private long @Nullable [] gaps;
  private long count;
  private long lastNanos;
  private boolean started;
  private boolean timing;

  PaceMeter(StallDetection detection) {
    this.detection = detection;
  }

  /** Forgets the pace: another worker goes on. */
  void restart() {
    count = 0;
    started = false;
    timing = false;
  }

  /**
   * A token came.
   *
   * @param clientWaits whether the client asks for another one at once
   */
  void tokenCame(long nowNanos, boolean clientWaits) {
    if (detection.isOff()) {
      return;
    }
    if (timing) {
      if (gaps == null) {
        gaps = new long[StallDetection.GAPS];
      }
      gaps[(int) (count++ % StallDetection.GAPS)] = nowNanos - lastNanos;
    }
    lastNanos = nowNanos;
    started = true;
    timing = clientWaits;
  }

  /** The client asks for a token after it had got all it had asked for. */
  void demanded(long nowNanos) {
    if (started && !timing) {
      lastNanos = nowNanos;
      timing = true;
    }
  }

  /** Returns how long the next token may take, or 0 while that is not known. */
  long boundNanos() {
    if (gaps == null || count < StallDetection.GAPS) {
      return 0;
    }
    long longest = 0;
    for (long gap : gaps) {
      longest = Math.max(longest, gap);
    }
    return detection.boundNanos(longest);
  }
}
