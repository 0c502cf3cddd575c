// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.time.Duration;
import java.util.Map;
import java.util.function.LongConsumer;

/** How far a migrator goes for one request. */
public final class MigrationOptions {
  /** The greatest {@link #limit()} and {@link #maxSeqLen()}: unsigned 32-bit on every side. */
  public static final long MAX_UNSIGNED_INT = 0xffff_ffffL;

  /** Marks a sequence length without cap. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private static final Duration CENTURY = Duration.ofDays(36_525);

  private static final MigrationOptions DEFAULTS = builder().build();

  private final long limit;
  private final long maxSeqLen;
  private final long stallTimeoutNanos;
  private final long endTimeoutNanos;

  private MigrationOptions(Builder builder) {
    this.limit = builder.limit;
    this.maxSeqLen = builder.maxSeqLen;
    this.stallTimeoutNanos = builder.stallTimeoutNanos;
    this.endTimeoutNanos = builder.endTimeoutNanos;
  }

  /** No migration, no cap, no stall timeout, 5 s for a stream's end. */
  public static MigrationOptions ofDefaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
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
    builder.stallTimeoutNanos = stallTimeoutNanos;
    builder.endTimeoutNanos = endTimeoutNanos;
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

  /** Returns how long a worker may bring no token while the client waits; 0 = for ever. */
  public long stallTimeoutNanos() {
    return stallTimeoutNanos;
  }

  /** Returns how long a stream may stay open after its last token. */
  public long endTimeoutNanos() {
    return endTimeoutNanos;
  }

  /** Builds {@link MigrationOptions}. */
  public static final class Builder {
    private long limit;
    private long maxSeqLen = UNLIMITED;
    private long stallTimeoutNanos;
    private long endTimeoutNanos = Duration.ofSeconds(5).toNanos();

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
     * Gives up an attempt that brings no token for so long while the client waits for one; items
     * without tokens do not count as progress. Also bounds the wait for the stream to open.
     * Default: zero, never.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder stallTimeout(Duration timeout) {
      this.stallTimeoutNanos = nonNegative("stallTimeout", timeout);
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
      this.endTimeoutNanos = nonNegative("endTimeout", timeout);
      return this;
    }

    public MigrationOptions build() {
      return new MigrationOptions(this);
    }

    private static long nonNegative(String name, Duration timeout) {
      if (timeout.isNegative() || timeout.compareTo(CENTURY) > 0) {
        throw new IllegalArgumentException(
            name + " must be between zero and a century: " + name + "=" + timeout);
      }
      return timeout.toNanos();
    }
  }
}
