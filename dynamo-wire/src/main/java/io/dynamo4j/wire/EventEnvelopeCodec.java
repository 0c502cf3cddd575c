// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.WireFormatException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The envelope of the event plane: what a NATS message is, and what the last frame of a ZMQ message
 * holds.
 *
 * <p>Written are the five fields of Dynamo 1.6.1 in its order and widths. Read is any order; fields
 * that are not known are passed over.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class EventEnvelopeCodec {
  private static final WireNames KEYS =
      WireNames.of("publisher_id", "sequence", "published_at", "topic", "payload");
  private static final int OVERHEAD_BYTES = 128;

  private EventEnvelopeCodec() {}

  public static byte[] encode(EventEnvelope envelope) {
    byte[] payload = envelope.payload();
    MsgpackWriter out =
        MsgpackWriter.ofExpectedSize(OVERHEAD_BYTES + envelope.topic().length() + payload.length);
    out.map(5).string("publisher_id").wide(envelope.publisherId());
    out.string("sequence").unsigned(envelope.sequence());
    out.string("published_at").wide(envelope.publishedAtMillis());
    out.string("topic").string(envelope.topic());
    return out.string("payload").binary(payload).toByteArray();
  }

  /**
   * Reads an envelope; its payload is a copy.
   *
   * @throws WireFormatException if it is truncated or beyond {@link WireLimits}, has bytes left
   *     over, or lacks a field other than the time
   */
  public static EventEnvelope decode(byte[] bytes) {
    return decode(MsgpackReader.of(bytes));
  }

  static EventEnvelope decode(MsgpackReader in) {
    long publisherId = 0;
    long sequence = 0;
    long publishedAt = 0;
    String topic = null;
    byte[] payload = null;
    int numbers = 0;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "publisher_id" -> {
          publisherId = in.readBits64();
          numbers |= 1;
        }
        case "sequence" -> {
          sequence = in.readBits64();
          numbers |= 2;
        }
        case "published_at" -> publishedAt = in.readBits64();
        case "topic" -> topic = in.readString();
        case "payload" -> payload = in.readBinary();
        default -> in.skip();
      }
    }
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "envelope");
    }
    return EventEnvelope.of(
        required(publisherId, numbers == 3, in),
        sequence,
        publishedAt,
        required(topic, in),
        required(payload, in));
  }

  private static long required(long value, boolean isThere, MsgpackReader in) {
    if (!isThere) {
      throw in.fault(Reason.MALFORMED, "envelope without publisher or sequence");
    }
    return value;
  }

  private static <T> T required(@Nullable T value, MsgpackReader in) {
    if (value == null) {
      throw in.fault(Reason.MALFORMED, "envelope without topic or payload");
    }
    return value;
  }
}
