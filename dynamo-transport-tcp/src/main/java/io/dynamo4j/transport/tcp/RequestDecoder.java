// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.wire.TcpRequestFrame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Cuts a connection's bytes into requests: the bytes of one {@link TcpRequestFrame}, or a {@link
 * TooLarge} after which nothing can be read.
 */
final class RequestDecoder extends ByteToMessageDecoder {
  private final int maxBytes;
  private boolean broken;

  RequestDecoder(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (broken) {
      in.skipBytes(in.readableBytes());
      return;
    }
    int start = in.readerIndex();
    int available = in.readableBytes();
    int headersAt = Short.BYTES;
    if (available < headersAt) {
      return;
    }
    headersAt += in.getUnsignedShort(start);
    if (available < headersAt + Short.BYTES) {
      return;
    }
    int payloadAt = headersAt + Short.BYTES + in.getUnsignedShort(start + headersAt);
    if (available < payloadAt + Integer.BYTES) {
      return;
    }
    long payload = in.getUnsignedInt(start + payloadAt);
    if (payload > maxBytes) {
      broken = true;
      in.skipBytes(available);
      out.add(new TooLarge(payload, maxBytes));
      return;
    }
    long total = payloadAt + Integer.BYTES + payload;
    if (available < total) {
      return;
    }
    byte[] frame = new byte[(int) total];
    in.readBytes(frame);
    out.add(frame);
  }

  /** A request that is not read. */
  record TooLarge(long bytes, int maxBytes) {}
}
