// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.transport;

import io.dynamo4j.plane.EventEnvelope;

/**
 * Judges the numbers of one publisher. Numbers are unsigned.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class SequenceWatch {

  /** What a number means. */
  public enum Verdict {
    /** The next number, or one behind a hole. */
    NEW,
    /** Seen before. */
    REPEATED,
    /** Numbers begin anew: another process under the same name. */
    RESTARTED
  }

  private final boolean mayRepeat;
  private boolean started;
  private long next;
  private long lastPublishedAt;
  private long missed;

  private SequenceWatch(boolean mayRepeat) {
    this.mayRepeat = mayRepeat;
  }

  /** Returns a watch of a publisher that nothing is known of, and that there is one way from. */
  public static SequenceWatch create() {
    return new SequenceWatch(false);
  }

  /** Returns a watch of a publisher whose envelopes may come again, on several ways. */
  public static SequenceWatch ofSeveralWays() {
    return new SequenceWatch(true);
  }

  /** Takes the next envelope that came and says what its number means. */
  public Verdict judge(EventEnvelope envelope) {
    long sequence = envelope.sequence();
    missed = 0;
    Verdict verdict = Verdict.NEW;
    if (started && Long.compareUnsigned(sequence, next) < 0) {
      // Through one broker no envelope comes twice; through several only an older one does.
      if (mayRepeat && envelope.publishedAtMillis() <= lastPublishedAt) {
        return Verdict.REPEATED;
      }
      verdict = Verdict.RESTARTED;
    } else if (started) {
      missed = sequence - next;
    }
    started = true;
    next = sequence + 1;
    lastPublishedAt = envelope.publishedAtMillis();
    return verdict;
  }

  /** Returns how many numbers the envelope judged last has passed over. */
  public long missed() {
    return missed;
  }
}
