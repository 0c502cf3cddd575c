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
    /** Of no use any more: seen before, or older than what has been passed over to. */
    REPEATED,
    /** Numbers begin anew: another process under the same name. */
    RESTARTED
  }

  /** Why an envelope could come whose number is behind. */
  private enum Way {
    /** There is one way and it keeps the order: only a new life has lower numbers. */
    ONE,
    /** An envelope may come again on another way. */
    SEVERAL,
    /** What an earlier connection still carried may come after what the next one did. */
    REPLACED
  }

  private final Way way;
  private boolean started;
  private long next;
  private long lastPublishedAt;
  private long missed;

  private SequenceWatch(Way way) {
    this.way = way;
  }

  /** Returns a watch of a publisher that nothing is known of, and that there is one way from. */
  public static SequenceWatch create() {
    return new SequenceWatch(Way.ONE);
  }

  /** Returns a watch of a publisher whose envelopes may come again, on several ways. */
  public static SequenceWatch ofSeveralWays() {
    return new SequenceWatch(Way.SEVERAL);
  }

  /**
   * Returns a watch of a publisher whose connection may be replaced, so that what the former one
   * still carried comes late. Such an envelope counts as repeated: the hole is known already.
   */
  public static SequenceWatch ofReplacedConnections() {
    return new SequenceWatch(Way.REPLACED);
  }

  /** Takes the next envelope that came and says what its number means. */
  public Verdict judge(EventEnvelope envelope) {
    long sequence = envelope.sequence();
    missed = 0;
    Verdict verdict = Verdict.NEW;
    if (started && Long.compareUnsigned(sequence, next) < 0) {
      if (isOld(envelope)) {
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

  private boolean isOld(EventEnvelope envelope) {
    long time = envelope.publishedAtMillis();
    return switch (way) {
      case ONE -> false;
      case SEVERAL -> time <= lastPublishedAt;
      // In one millisecond only its first number tells a new life.
      case REPLACED ->
          time < lastPublishedAt || (time == lastPublishedAt && envelope.sequence() != 0);
    };
  }

  /** Returns how many numbers the envelope judged last has passed over. */
  public long missed() {
    return missed;
  }
}
