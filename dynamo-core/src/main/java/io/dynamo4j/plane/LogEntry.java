// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.Objects;

/** One entry of a {@link DurableEventLog}. */
public final class LogEntry {
  private final long sequence;
  private final long storedAtMillis;
  private final byte[] payload;

  private LogEntry(long sequence, long storedAtMillis, byte[] payload) {
    this.sequence = sequence;
    this.storedAtMillis = storedAtMillis;
    this.payload = Objects.requireNonNull(payload, "payload");
  }

  /** Wraps a payload; the array is neither copied nor written to again. */
  public static LogEntry of(long sequence, long storedAtMillis, byte[] payload) {
    return new LogEntry(sequence, storedAtMillis, payload);
  }

  /** Returns the entry's number, from 1. */
  public long sequence() {
    return sequence;
  }

  /** Returns when the log took it by the clock of {@link LogFacts#nowMillis}, Unix milliseconds. */
  public long storedAtMillis() {
    return storedAtMillis;
  }

  /** Returns the payload; not to be modified. */
  public byte[] payload() {
    return payload;
  }

  @Override
  public String toString() {
    return "LogEntry[sequence=" + sequence + ", bytes=" + payload.length + "]";
  }
}
