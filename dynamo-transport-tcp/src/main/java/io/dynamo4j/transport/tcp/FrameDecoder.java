// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.wire.TwoPartFrame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Cuts a connection's bytes into two-part frames; a declared length beyond the bound is a fault.
 */
final class FrameDecoder extends ByteToMessageDecoder {
  private final int maxBytes;

  FrameDecoder(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < TwoPartFrame.PREFIX_BYTES) {
      return;
    }
    int start = in.readerIndex();
    int headerLength = TwoPartFrame.checkLength(in.getLong(start), maxBytes);
    int bodyLength = TwoPartFrame.checkLength(in.getLong(start + Long.BYTES), maxBytes);
    if (in.readableBytes() - TwoPartFrame.PREFIX_BYTES < (long) headerLength + bodyLength) {
      return;
    }
    in.skipBytes(TwoPartFrame.PREFIX_BYTES);
    byte[] header = new byte[headerLength];
    in.readBytes(header);
    byte[] body = new byte[bodyLength];
    in.readBytes(body);
    out.add(TwoPartFrame.of(header, body));
  }
}
