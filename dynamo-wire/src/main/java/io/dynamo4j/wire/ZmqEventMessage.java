// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * An envelope as ZMQ carries it: what subscribers filter by, publisher and sequence as eight bytes
 * each, then a version byte, the envelope's length and the envelope.
 *
 * <p>The filter is the bare topic between peers and the full subject through a broker. The first
 * generation sent the filter and the last frame only, which is read as well.
 */
public final class ZmqEventMessage {
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 5;

  private final String filter;
  private final EventEnvelope envelope;

  private ZmqEventMessage(String filter, EventEnvelope envelope) {
    this.filter = Objects.requireNonNull(filter, "filter");
    this.envelope = Objects.requireNonNull(envelope, "envelope");
  }

  public static ZmqEventMessage of(String filter, EventEnvelope envelope) {
    return new ZmqEventMessage(filter, envelope);
  }

  /**
   * Reads a message.
   *
   * @throws WireFormatException if frames are missing or too many, the version is another one, the
   *     envelope is shorter than declared or none, or the frames before it name another publisher
   *     or sequence
   */
  public static ZmqEventMessage decode(List<byte[]> frames) {
    int count = frames.size();
    if (count != 4 && count != 2) {
      throw new WireFormatException(Reason.MALFORMED, "event frames " + count, 0);
    }
    EventEnvelope envelope = decodeData(frames.get(count - 1));
    if (count == 4
        && (!isNumber(frames.get(1), envelope.publisherId())
            || !isNumber(frames.get(2), envelope.sequence()))) {
      throw new WireFormatException(Reason.MALFORMED, "frames contradict the envelope", 0);
    }
    return new ZmqEventMessage(new String(frames.get(0), StandardCharsets.UTF_8), envelope);
  }

  private static EventEnvelope decodeData(byte[] frame) {
    if (frame.length < HEADER_BYTES) {
      throw new WireFormatException(Reason.TRUNCATED, "event data frame", frame.length);
    }
    if (frame.length > WireLimits.MAX_FRAME_BYTES) {
      throw new WireFormatException(Reason.TOO_LARGE, "event data frame", frame.length);
    }
    if (frame[0] != VERSION) {
      throw new WireFormatException(Reason.MALFORMED, "event data version " + frame[0], 0);
    }
    int length = ByteBuffer.wrap(frame).getInt(1);
    if (length < 0 || length > frame.length - HEADER_BYTES) {
      throw new WireFormatException(
          Reason.TRUNCATED, "event data bytes " + Integer.toUnsignedString(length), 1);
    }
    return EventEnvelopeCodec.decode(
        MsgpackReader.of(frame).slice(HEADER_BYTES, HEADER_BYTES + length));
  }

  private static boolean isNumber(byte[] frame, long number) {
    return frame.length == Long.BYTES && ByteBuffer.wrap(frame).getLong() == number;
  }

  /** Returns the four frames. */
  public List<byte[]> encode() {
    byte[] data = EventEnvelopeCodec.encode(envelope);
    byte[] last =
        ByteBuffer.allocate(HEADER_BYTES + data.length)
            .put(VERSION)
            .putInt(data.length)
            .put(data)
            .array();
    return List.of(
        filter.getBytes(StandardCharsets.UTF_8),
        number(envelope.publisherId()),
        number(envelope.sequence()),
        last);
  }

  private static byte[] number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  /** Returns what subscribers filter by: a topic, or a subject that ends with it. */
  public String filter() {
    return filter;
  }

  public EventEnvelope envelope() {
    return envelope;
  }
}
