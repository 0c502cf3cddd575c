// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * What a caller writes on a pooled connection: the endpoint's path, headers as JSON, and a {@link
 * TwoPartFrame} of control and request.
 *
 * <p>Headers inform only: the peer takes any bytes there, and so does this reader.
 */
public final class TcpRequestFrame {
  private static final int MAX_U16 = 0xffff;

  private final String path;
  private final byte[] headers;
  private final TwoPartFrame payload;

  private TcpRequestFrame(String path, byte[] headers, TwoPartFrame payload) {
    this.path = path;
    this.headers = headers;
    this.payload = payload;
  }

  /**
   * Returns the bytes of a request.
   *
   * @throws IllegalArgumentException if path or headers are longer than 65,535 bytes
   */
  public static byte[] encode(String path, byte[] headers, byte[] control, byte[] body) {
    byte[] pathBytes = path.getBytes(StandardCharsets.UTF_8);
    if (pathBytes.length > MAX_U16 || headers.length > MAX_U16) {
      throw new IllegalArgumentException(
          "path or headers too long: pathBytes="
              + pathBytes.length
              + ", headerBytes="
              + headers.length);
    }
    byte[] payload = TwoPartFrame.encode(control, body);
    return ByteBuffer.allocate(8 + pathBytes.length + headers.length + payload.length)
        .putShort((short) pathBytes.length)
        .put(pathBytes)
        .putShort((short) headers.length)
        .put(headers)
        .putInt(payload.length)
        .put(payload)
        .array();
  }

  /** Returns the headers that a caller sends over this plane, as JSON. */
  public static byte[] headers(String requestId, String path, long sentAtEpochNanos) {
    return JsonValues.toJson(
        MsgpackWriter.ofExpectedSize(160)
            .map(3)
            .string("request-id")
            .string(requestId)
            .string("x-endpoint-path")
            .string(path)
            .string("x-frontend-send-ts-ns")
            .string(Long.toString(sentAtEpochNanos))
            .toByteArray());
  }

  /**
   * Reads a whole request.
   *
   * @throws WireFormatException if it is truncated, has bytes left over, or its path is no UTF-8
   */
  public static TcpRequestFrame decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte[] path = take(in, length16(in));
    byte[] headers = take(in, length16(in));
    if (in.remaining() < Integer.BYTES) {
      throw truncated(in);
    }
    long payload = Integer.toUnsignedLong(in.getInt());
    byte[] parts = take(in, TwoPartFrame.checkLength(payload, WireLimits.MAX_FRAME_BYTES));
    if (in.hasRemaining()) {
      throw new WireFormatException(Reason.TRAILING_BYTES, "request", in.position());
    }
    return new TcpRequestFrame(path(path), headers, TwoPartFrame.decode(parts));
  }

  /**
   * Returns the path that these bytes spell.
   *
   * @throws WireFormatException if they are no UTF-8
   */
  public static String path(byte[] utf8) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new WireFormatException(Reason.MALFORMED, "path", 0);
    }
  }

  private static int length16(ByteBuffer in) {
    if (in.remaining() < Short.BYTES) {
      throw truncated(in);
    }
    return Short.toUnsignedInt(in.getShort());
  }

  private static byte[] take(ByteBuffer in, int length) {
    if (in.remaining() < length) {
      throw truncated(in);
    }
    byte[] taken = new byte[length];
    in.get(taken);
    return taken;
  }

  private static WireFormatException truncated(ByteBuffer in) {
    return new WireFormatException(Reason.TRUNCATED, "request", in.position());
  }

  public String path() {
    return path;
  }

  /** Returns the headers as they came; not a copy. */
  public byte[] headers() {
    return headers;
  }

  public TwoPartFrame payload() {
    return payload;
  }
}
