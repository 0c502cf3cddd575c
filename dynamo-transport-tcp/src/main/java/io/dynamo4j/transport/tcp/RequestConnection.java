// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.charset.StandardCharsets;

/**
 * A connection on which a caller sends requests; each is replied to before the next is looked at.
 *
 * <p><b>Threads.</b> The connection's event loop.
 */
final class RequestConnection extends SimpleChannelInboundHandler<Object> {
  private final RequestIntake intake;

  RequestConnection(RequestIntake intake) {
    this.intake = intake;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, Object message) {
    if (message instanceof RequestDecoder.TooLarge refused) {
      String text =
          "Read error: message too large: "
              + refused.bytes()
              + " bytes (max: "
              + refused.maxBytes()
              + " bytes)";
      context.writeAndFlush(reply(context, text)).addListener(ChannelFutureListener.CLOSE);
    } else if (message instanceof byte[] frame) {
      TcpIo.ignore(context.write(reply(context, intake.take(frame))));
    }
  }

  private static ByteBuf reply(ChannelHandlerContext context, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return context
        .alloc()
        .buffer(Integer.BYTES + bytes.length)
        .writeInt(bytes.length)
        .writeBytes(bytes);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.flush();
    context.fireChannelReadComplete();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    TcpIo.ignore(context.close());
  }
}
