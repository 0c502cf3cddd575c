// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Cancellable;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a worker and the request that uses it.
 *
 * <p><b>Threads.</b> The connection's event loop.
 */
final class PooledConnection extends SimpleChannelInboundHandler<String> {
  private final PeerPool pool;
  private @Nullable Channel channel;
  private @Nullable OutgoingRequest current;
  private @Nullable Cancellable ackTimer;
  private boolean isOpen;

  PooledConnection(PeerPool pool) {
    this.pool = pool;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  /** The pool counts the connection from now on. */
  void opened() {
    isOpen = true;
  }

  void send(OutgoingRequest request) {
    current = request;
    ackTimer = pool.armAck(() -> overdue(request));
    request.sent();
    if (channel != null) {
      channel
          .writeAndFlush(Unpooled.wrappedBuffer(request.frame()))
          .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }
  }

  /** Whatever comes on this connection now could belong to the lost reply: it is not used again. */
  private void overdue(OutgoingRequest request) {
    if (current == request) {
      current = null;
      request.unanswered(TcpPhase.ACK.errorType(), TcpPhase.ACK.failure());
      close();
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, String text) {
    OutgoingRequest request = current;
    if (request == null) {
      close();
      return;
    }
    current = null;
    disarm();
    request.acknowledged(text);
    if (context.channel().isActive()) {
      pool.free(this);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    disarm();
    OutgoingRequest request = current;
    current = null;
    if (request != null) {
      request.unanswered(ErrorType.DISCONNECTED, "worker closed the connection unasked");
    }
    if (isOpen) {
      isOpen = false;
      pool.lost(this);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    close();
  }

  private void disarm() {
    if (ackTimer != null) {
      ackTimer.cancel();
      ackTimer = null;
    }
  }

  private void close() {
    if (channel != null) {
      TcpIo.ignore(channel.close());
    }
  }
}
