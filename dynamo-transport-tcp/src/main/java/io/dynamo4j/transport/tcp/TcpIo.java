// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Sockets and the threads that read and write them.
 *
 * <p>A thread that ends at once, without a quiet period, may end before it has closed its sockets,
 * and those stay open for as long as the process lives: listeners that nobody hears among them. So
 * every socket is closed by name first; one that is made after that is closed as it registers.
 */
final class TcpIo {
  private static final int BACKLOG = 4_096;
  private static final long CLOSE_SECONDS = 2;

  private final EventLoopGroup group;
  private final ChannelGroup sockets;
  private final int dialMillis;

  TcpIo(TcpOptions options) {
    this.group =
        new MultiThreadIoEventLoopGroup(
            options.ioThreads(),
            new DefaultThreadFactory("dynamo4j-tcp", true),
            NioIoHandler.newFactory());
    this.sockets = new DefaultChannelGroup(group.next(), true);
    this.dialMillis =
        (int) Math.min(Integer.MAX_VALUE, options.bound(TcpPhase.DIAL).toMillis() + 1);
  }

  EventLoop nextLoop() {
    return group.next();
  }

  /**
   * Listens on an address; bound when this returns.
   *
   * @param handlers makes the handlers of one accepted connection, in order
   * @throws DynamoException {@code CANNOT_CONNECT} if the address cannot be bound
   */
  InetSocketAddress listen(InetSocketAddress address, Supplier<ChannelHandler[]> handlers) {
    ServerSocketChannel bound = bind(address);
    ServerBootstrap server =
        new ServerBootstrap()
            .group(group)
            .channelFactory(() -> new NioServerSocketChannel(bound))
            .childOption(ChannelOption.TCP_NODELAY, true)
            .handler(initializer(() -> new ChannelHandler[0]))
            .childHandler(initializer(handlers));
    ignore(server.register());
    return (InetSocketAddress) bound.socket().getLocalSocketAddress();
  }

  private static ServerSocketChannel bind(InetSocketAddress address) {
    try {
      ServerSocketChannel channel = ServerSocketChannel.open();
      try {
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        return channel.bind(address, BACKLOG);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new DynamoException(
          ErrorType.CANNOT_CONNECT, "address cannot be bound: address=" + address, null, -1, e);
    }
  }

  /** Dials; the future ends within the bound of {@link TcpPhase#DIAL}. */
  ChannelFuture dial(EventLoop loop, InetSocketAddress address, ChannelHandler... handlers) {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, dialMillis)
        .handler(initializer(() -> handlers))
        .connect(address);
  }

  private ChannelInitializer<Channel> initializer(Supplier<ChannelHandler[]> handlers) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        sockets.add(channel);
        channel.pipeline().addLast(handlers.get());
      }
    };
  }

  /** Lets an outcome go that nobody waits for: handlers see what becomes of their connection. */
  static void ignore(Future<?> outcome) {}

  /** Closes every socket and ends the threads, soon; waits for neither. */
  void close() {
    ignore(sockets.close());
    ignore(group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS));
  }
}
