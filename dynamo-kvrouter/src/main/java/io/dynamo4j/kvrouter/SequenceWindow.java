// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.collect.LongIntMap;

/**
 * Which messages of one publisher have arrived: all below a mark, and some beyond it while others
 * are missing. Bounded: where too many are beyond, it gives up on what is missing.
 *
 * <p><b>Threads.</b> Not thread-safe.
 */
final class SequenceWindow {
  private static final int MAX_AHEAD = 65_536;

  private final long seed;
  private LongIntMap ahead;
  private long next;
  private long beyond;

  SequenceWindow(long seed) {
    this.seed = seed;
    this.ahead = LongIntMap.create(seed);
  }

  /** Returns the first number that has not arrived. */
  long next() {
    return next;
  }

  boolean hasGap() {
    return ahead.size() > 0;
  }

  /** Gives up on what is missing. */
  void giveUp() {
    settle(beyond);
  }

  /** Notes a number; false if it had arrived before. */
  boolean arrive(long sequence) {
    if (sequence < next || ahead.get(sequence) != 0) {
      return false;
    }
    beyond = Math.max(beyond, sequence + 1);
    if (sequence == next) {
      next++;
      advance();
    } else {
      if (ahead.size() == MAX_AHEAD) {
        ahead = LongIntMap.create(seed);
        next = sequence + 1;
      } else {
        ahead.put(sequence, 1);
      }
    }
    return true;
  }

  /** Notes that everything below a number is known, however it became so. */
  void settle(long below) {
    while (next < below) {
      if (ahead.size() == 0) {
        next = below;
      } else {
        ahead.put(next++, 0);
      }
    }
    advance();
  }

  private void advance() {
    while (ahead.size() > 0 && ahead.get(next) != 0) {
      ahead.put(next++, 0);
    }
  }
}
