// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.wire.ResponseControl;
import io.dynamo4j.wire.TwoPartFrame;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import org.jspecify.annotations.Nullable;

/**
 * A connection that a worker dialled back: a handshake, then frames of the answer that it names.
 *
 * <p><b>Threads.</b> The connection's event loop.
 */
final class CallHomeConnection extends SimpleChannelInboundHandler<TwoPartFrame> {
  private final CallHome callHome;
  private @Nullable TcpExchange<?, ?> exchange;
  private @Nullable Cancellable handshakeTimer;

  CallHomeConnection(CallHome callHome) {
    this.callHome = callHome;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    handshakeTimer = callHome.armHandshake(() -> TcpIo.ignore(context.close()));
    context.fireChannelActive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, TwoPartFrame frame) {
    if (exchange != null) {
      exchange.frame(frame);
      return;
    }
    disarm();
    String subject = ResponseControl.readHandshake(frame.header());
    TcpExchange<?, ?> found = callHome.take(subject);
    if (found == null) {
      // Cancelled before the worker dialled back, or a stranger.
      context
          .writeAndFlush(Unpooled.wrappedBuffer(CallHome.killFrame()))
          .addListener(ChannelFutureListener.CLOSE);
      return;
    }
    exchange = found;
    found.attached(context.channel());
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    disarm();
    if (exchange != null) {
      exchange.connectionLost();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (exchange != null) {
      exchange.connectionFailed(cause);
    }
    TcpIo.ignore(context.close());
  }

  private void disarm() {
    if (handshakeTimer != null) {
      handshakeTimer.cancel();
      handshakeTimer = null;
    }
  }
}
