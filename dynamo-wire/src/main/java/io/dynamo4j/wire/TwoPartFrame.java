// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A frame of the request plane: lengths of header and body and a checksum, 64 bits each, then the
 * two. A header alone controls, a body alone is data, both together are a request.
 *
 * <p>The checksum is written as 0 and not looked at, as the peer does.
 */
public final class TwoPartFrame {
  /** Bytes before the header. */
  public static final int PREFIX_BYTES = 24;

  private static final byte[] EMPTY = new byte[0];

  private final byte[] header;
  private final byte[] body;

  private TwoPartFrame(byte[] header, byte[] body) {
    this.header = header;
    this.body = body;
  }

  /** Returns a frame of these bytes, which are not copied. */
  public static TwoPartFrame of(byte[] header, byte[] body) {
    return new TwoPartFrame(header, body);
  }

  /** Returns the bytes of a frame without a body. */
  public static byte[] control(byte[] header) {
    return encode(header, EMPTY);
  }

  /** Returns the bytes of a frame without a header. */
  public static byte[] data(byte[] body) {
    return encode(EMPTY, body);
  }

  public static byte[] encode(byte[] header, byte[] body) {
    return ByteBuffer.allocate(PREFIX_BYTES + header.length + body.length)
        .putLong(header.length)
        .putLong(body.length)
        .putLong(0)
        .put(header)
        .put(body)
        .array();
  }

  /**
   * Reads a whole frame.
   *
   * @throws WireFormatException if it is truncated, too large or has bytes left over
   */
  public static TwoPartFrame decode(byte[] bytes) {
    if (bytes.length < PREFIX_BYTES) {
      throw new WireFormatException(Reason.TRUNCATED, "frame prefix", bytes.length);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int headerLength = checkLength(in.getLong(), WireLimits.MAX_FRAME_BYTES);
    int bodyLength = checkLength(in.getLong(), WireLimits.MAX_FRAME_BYTES);
    long total = PREFIX_BYTES + (long) headerLength + bodyLength;
    if (total != bytes.length) {
      Reason reason = total > bytes.length ? Reason.TRUNCATED : Reason.TRAILING_BYTES;
      throw new WireFormatException(reason, "frame of " + total + " bytes", bytes.length);
    }
    int bodyStart = PREFIX_BYTES + headerLength;
    return new TwoPartFrame(
        Arrays.copyOfRange(bytes, PREFIX_BYTES, bodyStart),
        Arrays.copyOfRange(bytes, bodyStart, bytes.length));
  }

  /**
   * Returns a declared length that may be believed.
   *
   * @throws WireFormatException if it is beyond {@code maxBytes}
   */
  public static int checkLength(long declared, int maxBytes) {
    if (declared < 0 || declared > maxBytes) {
      throw new WireFormatException(
          Reason.TOO_LARGE, "part of " + Long.toUnsignedString(declared) + " bytes", 0);
    }
    return (int) declared;
  }

  /** Returns the header, empty if there is none; not a copy. */
  public byte[] header() {
    return header;
  }

  /** Returns the body, empty if there is none; not a copy. */
  public byte[] body() {
    return body;
  }
}
