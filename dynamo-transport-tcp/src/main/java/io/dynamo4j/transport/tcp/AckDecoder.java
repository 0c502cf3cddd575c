// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.wire.TwoPartFrame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Cuts the replies of a worker out of a pooled connection: a text each, empty for accepted. */
final class AckDecoder extends ByteToMessageDecoder {
  private static final int MAX_TEXT_BYTES = 64 << 10;

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    long declared = in.getUnsignedInt(in.readerIndex());
    int length = TwoPartFrame.checkLength(declared, MAX_TEXT_BYTES);
    if (in.readableBytes() < Integer.BYTES + length) {
      return;
    }
    in.skipBytes(Integer.BYTES);
    out.add(in.readCharSequence(length, StandardCharsets.UTF_8).toString());
  }
}
