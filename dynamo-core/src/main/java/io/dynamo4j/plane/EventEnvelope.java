// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.Objects;

/** One published payload with who sent it and its place in the sender's sequence. */
public final class EventEnvelope {
  private final long publisherId;
  private final long sequence;
  private final long publishedAtMillis;
  private final String topic;
  private final byte[] payload;

  private EventEnvelope(
      long publisherId, long sequence, long publishedAtMillis, String topic, byte[] payload) {
    this.publisherId = publisherId;
    this.sequence = sequence;
    this.publishedAtMillis = publishedAtMillis;
    this.topic = Objects.requireNonNull(topic, "topic");
    this.payload = Objects.requireNonNull(payload, "payload");
  }

  /** Wraps a payload; the array is neither copied nor written to again. */
  public static EventEnvelope of(
      long publisherId, long sequence, long publishedAtMillis, String topic, byte[] payload) {
    return new EventEnvelope(publisherId, sequence, publishedAtMillis, topic, payload);
  }

  /** Returns the publisher's id, an unsigned 64-bit pattern. */
  public long publisherId() {
    return publisherId;
  }

  /** Returns the publisher's consecutive number of this envelope, from 0, unsigned. */
  public long sequence() {
    return sequence;
  }

  /** Returns the publisher's wall time, Unix milliseconds. */
  public long publishedAtMillis() {
    return publishedAtMillis;
  }

  public String topic() {
    return topic;
  }

  /** Returns the payload; not to be modified. */
  public byte[] payload() {
    return payload;
  }
}
