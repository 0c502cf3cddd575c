// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;

/** How far a migrator goes for one request. Immutable; every time is in nanoseconds, 0 = none. */
public final class MigrationOptions {
  /** The greatest {@link #limit()} and {@link #maxSeqLen()}: unsigned 32-bit on every side. */
  public static final long MAX_UNSIGNED_INT = 0xffff_ffffL;

  /** Marks a sequence length without cap. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private final long limit;
  private final long maxSeqLen;
  private final long deadlineNanos;
  private final long connectTimeoutNanos;
  private final long prologueTimeoutNanos;
  private final long firstTokenTimeoutNanos;
  private final long stallTimeoutNanos;
  private final long endTimeoutNanos;
  private final long hedgeAfterNanos;
  private final long replacementWaitNanos;
  private final BackOff replacementPoll;
  private final StallDetection stallDetection;
  private final EnumSet<Correction> corrections;

  private MigrationOptions(Builder builder) {
    this.limit = builder.limit;
    this.maxSeqLen = builder.maxSeqLen;
    this.deadlineNanos = builder.deadlineNanos;
    this.connectTimeoutNanos = builder.connectTimeoutNanos;
    this.prologueTimeoutNanos = builder.prologueTimeoutNanos;
    this.firstTokenTimeoutNanos = builder.firstTokenTimeoutNanos;
    this.stallTimeoutNanos = builder.stallTimeoutNanos;
    this.endTimeoutNanos = builder.endTimeoutNanos;
    this.hedgeAfterNanos = builder.hedgeAfterNanos;
    this.replacementWaitNanos = builder.replacementWaitNanos;
    this.replacementPoll = builder.replacementPoll;
    this.stallDetection = builder.stallDetection;
    this.corrections = EnumSet.noneOf(Correction.class);
    this.corrections.addAll(builder.corrections);
  }

  /**
   * No migration, no cap, no timeout but 5 s for a stream's end, learned stall detection, every
   * correction.
   */
  public static MigrationOptions ofDefaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * What Dynamo 1.6.1 was measured to do outside its KV mode: every {@link Correction} and the
   * learned stall detection off. Its KV mode differs by {@link Correction#EXCLUDE_FAILED_WORKERS}.
   * Its judgement of errors is {@link MigrationPolicy#upstreamCompatible()}.
   */
  public static MigrationOptions upstreamCompatible() {
    Builder builder = builder().stallDetection(StallDetection.off());
    for (Correction correction : Correction.values()) {
      builder.without(correction);
    }
    return builder.build();
  }

  /**
   * Reads Dynamo's {@code DYN_MIGRATION_LIMIT} and {@code DYN_MIGRATION_MAX_SEQ_LEN}; a variable
   * that is absent or is no whole number keeps the default.
   *
   * @throws IllegalArgumentException if a number is out of range
   */
  public static MigrationOptions fromEnvironment(Map<String, String> environment) {
    Builder builder = builder();
    number(environment, "DYN_MIGRATION_LIMIT", builder::limit);
    number(environment, "DYN_MIGRATION_MAX_SEQ_LEN", builder::maxSeqLen);
    return builder.build();
  }

  private static void number(Map<String, String> environment, String name, LongConsumer setter) {
    String text = environment.get(name);
    if (text == null) {
      return;
    }
    long value;
    try {
      value = Long.parseLong(text.strip());
    } catch (NumberFormatException absent) {
      return;
    }
    setter.accept(value);
  }

  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.limit = limit;
    builder.maxSeqLen = maxSeqLen;
    builder.deadlineNanos = deadlineNanos;
    builder.connectTimeoutNanos = connectTimeoutNanos;
    builder.prologueTimeoutNanos = prologueTimeoutNanos;
    builder.firstTokenTimeoutNanos = firstTokenTimeoutNanos;
    builder.stallTimeoutNanos = stallTimeoutNanos;
    builder.endTimeoutNanos = endTimeoutNanos;
    builder.hedgeAfterNanos = hedgeAfterNanos;
    builder.replacementWaitNanos = replacementWaitNanos;
    builder.replacementPoll = replacementPoll;
    builder.stallDetection = stallDetection;
    builder.corrections.clear();
    builder.corrections.addAll(corrections);
    return builder;
  }

  /** Returns how many attempts may follow the first, over both phases together; 0 = none. */
  public long limit() {
    return limit;
  }

  /** Returns the most tokens, prompt included, that are still continued, or {@link #UNLIMITED}. */
  public long maxSeqLen() {
    return maxSeqLen;
  }

  /** Returns how long a request may take from subscription to its end. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Returns how long a worker may take to be chosen and to acknowledge. */
  public long connectTimeoutNanos() {
    return connectTimeoutNanos;
  }

  /** Returns how long an attempt may take to open its stream. */
  public long prologueTimeoutNanos() {
    return prologueTimeoutNanos < 0 ? stallTimeoutNanos : prologueTimeoutNanos;
  }

  /** Returns how long an open stream may take to bring its first token. */
  public long firstTokenTimeoutNanos() {
    return firstTokenTimeoutNanos < 0 ? stallTimeoutNanos : firstTokenTimeoutNanos;
  }

  /** Returns how long a worker may bring no token while the client waits; 0 = for ever. */
  public long stallTimeoutNanos() {
    return stallTimeoutNanos;
  }

  /** Returns how long a stream may stay open after its last token. */
  public long endTimeoutNanos() {
    return endTimeoutNanos;
  }

  /** Returns after how long without a first token a second attempt is started. */
  public long hedgeAfterNanos() {
    return hedgeAfterNanos;
  }

  /** Returns how long a request waits for a worker when none is left to ask. */
  public long replacementWaitNanos() {
    return replacementWaitNanos;
  }

  /** Returns how often a waiting request looks for a worker. */
  public BackOff replacementPoll() {
    return replacementPoll;
  }

  public StallDetection stallDetection() {
    return stallDetection;
  }

  /** Returns whether a departure from upstream is on. */
  public boolean has(Correction correction) {
    return corrections.contains(correction);
  }

  /** Returns the departures from upstream that are on; immutable. */
  public Set<Correction> corrections() {
    return Collections.unmodifiableSet(corrections);
  }

  /** Builds {@link MigrationOptions}. */
  public static final class Builder {
    private long limit;
    private long maxSeqLen = UNLIMITED;
    private long deadlineNanos;
    private long connectTimeoutNanos;
    private long prologueTimeoutNanos = -1;
    private long firstTokenTimeoutNanos = -1;
    private long stallTimeoutNanos;
    private long endTimeoutNanos = Duration.ofSeconds(5).toNanos();
    private long hedgeAfterNanos;
    private long replacementWaitNanos;
    private BackOff replacementPoll =
        BackOff.exponential(Duration.ofMillis(10), 2, Duration.ofMillis(500)).withJitter(0.2);
    private StallDetection stallDetection = StallDetection.ofDefaults();
    private final EnumSet<Correction> corrections = EnumSet.allOf(Correction.class);

    private Builder() {}

    /**
     * Allows {@code limit} attempts after the first over the whole life of a request: failures
     * before and after the stream opened draw on the same budget, and success does not refill it.
     * Default 0.
     *
     * @throws IllegalArgumentException outside 0 … 2^32−1
     */
    public Builder limit(long limit) {
      if (limit < 0 || limit > MAX_UNSIGNED_INT) {
        throw new IllegalArgumentException("limit must be in 0..2^32-1: limit=" + limit);
      }
      this.limit = limit;
      return this;
    }

    /**
     * Stops tracking a request, and so continuing it, once prompt and answer together are longer
     * than this. Attempts that fail before their stream opens are repeated all the same. Default
     * unlimited.
     *
     * @throws IllegalArgumentException outside 1 … 2^32−1
     */
    public Builder maxSeqLen(long tokens) {
      if (tokens < 1 || tokens > MAX_UNSIGNED_INT) {
        throw new IllegalArgumentException("maxSeqLen must be in 1..2^32-1: maxSeqLen=" + tokens);
      }
      this.maxSeqLen = tokens;
      return this;
    }

    /**
     * Fails a request with {@code DEADLINE_EXCEEDED} that has not ended so long after it was
     * subscribed to, whatever it is doing then; every attempt carries the deadline. Default zero,
     * none.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder deadline(Duration time) {
      this.deadlineNanos = Durations.nonNegativeNanos("deadline", time);
      return this;
    }

    /**
     * Gives up an attempt whose worker has not acknowledged it so long after its dispatch; a stream
     * that opens is an acknowledgement. Default zero, never.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder connectTimeout(Duration timeout) {
      this.connectTimeoutNanos = Durations.nonNegativeNanos("connectTimeout", timeout);
      return this;
    }

    /**
     * Gives up an attempt whose stream has not opened so long after its dispatch; zero means never.
     * Default {@link #stallTimeout}.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder prologueTimeout(Duration timeout) {
      this.prologueTimeoutNanos = Durations.nonNegativeNanos("prologueTimeout", timeout);
      return this;
    }

    /**
     * Gives up an attempt that brings no token so long after its stream opened, while the client
     * waits for one; zero means never. Default {@link #stallTimeout}.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder firstTokenTimeout(Duration timeout) {
      this.firstTokenTimeoutNanos = Durations.nonNegativeNanos("firstTokenTimeout", timeout);
      return this;
    }

    /**
     * Gives up an attempt that brings no further token for so long while the client waits for one;
     * items without tokens do not count as progress. Default: zero, never.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder stallTimeout(Duration timeout) {
      this.stallTimeoutNanos = Durations.nonNegativeNanos("stallTimeout", timeout);
      return this;
    }

    /**
     * Bounds the wait for a stream's terminal signal once nothing but that should follow: after a
     * finish reason, after the last token that the request allows, and after a frame that says
     * {@code cancelled} or {@code error} without a cause. Default 5 s.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder endTimeout(Duration timeout) {
      this.endTimeoutNanos = Durations.nonNegativeNanos("endTimeout", timeout);
      return this;
    }

    /**
     * Starts a second attempt at another worker when the first token is so late; whichever brings a
     * token first goes on and the other is cancelled. The second attempt counts against {@link
     * #limit}. Default zero, never.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder hedgeAfter(Duration time) {
      this.hedgeAfterNanos = Durations.nonNegativeNanos("hedgeAfter", time);
      return this;
    }

    /**
     * Waits so long for a worker when there is none to ask: the pool is empty, or every worker has
     * failed the request. Trying spends no attempt until a worker is found. Default zero: fails at
     * once.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder replacementWait(Duration time) {
      this.replacementWaitNanos = Durations.nonNegativeNanos("replacementWait", time);
      return this;
    }

    /**
     * Sets how often a waiting request looks; a migrator that knows the directory looks whenever a
     * worker appears too. Default 10 ms, doubling to 500 ms, jittered by a fifth.
     *
     * @throws IllegalArgumentException if it has no pause
     */
    public Builder replacementPoll(BackOff poll) {
      if (poll.isNone()) {
        throw new IllegalArgumentException(
            "replacementPoll needs a pause: replacementPoll=" + poll);
      }
      this.replacementPoll = poll;
      return this;
    }

    /** Sets how silence is judged by a stream's own pace. Default 20 times, at least 30 s. */
    public Builder stallDetection(StallDetection detection) {
      this.stallDetection = Objects.requireNonNull(detection, "detection");
      return this;
    }

    /** Switches a departure from upstream off. */
    public Builder without(Correction correction) {
      corrections.remove(correction);
      return this;
    }

    /** Switches a departure from upstream on, as all are by default. */
    public Builder with(Correction correction) {
      corrections.add(correction);
      return this;
    }

    public MigrationOptions build() {
      return new MigrationOptions(this);
    }
  }
}
