// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.tcp;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.wire.GenerateItemCodec;
import io.dynamo4j.wire.ResponseItem;
import io.dynamo4j.wire.TwoPartFrame;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The same frames over the same number of connections with nothing around them: one thread writes
 * frames that are there already, another cuts them apart and counts.
 */
final class BareStreams implements AutoCloseable {
  private static final byte[] FRAME =
      TwoPartFrame.data(
          ResponseItem.encode(GenerateItemCodec.encode(LLMEngineOutput.of(TokenSlice.of(300)))));

  private final EventLoopGroup servers =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoopGroup clients =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final SocketAddress address;
  private volatile int items;

  BareStreams() {
    address =
        new ServerBootstrap()
            .group(servers)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 4_096)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Writer());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel()
            .localAddress();
  }

  long stream(int streams, int itemsEach) {
    items = itemsEach;
    AtomicLong frames = new AtomicLong();
    CountDownLatch ended = new CountDownLatch(streams);
    Bootstrap client =
        new Bootstrap()
            .group(clients)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Cutter(), new Counter(frames, ended));
                  }
                });
    for (int i = 0; i < streams; i++) {
      client.connect(address).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }
    PlaneStreams.await(ended);
    return frames.get();
  }

  @Override
  public void close() {
    servers.shutdownGracefully().syncUninterruptibly();
    clients.shutdownGracefully().syncUninterruptibly();
  }

  /** Writes as many frames at a time as the plane's worker hands over. */
  private final class Writer extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      write(context, 0);
    }

    private void write(ChannelHandlerContext context, int from) {
      int end = Math.min(items, from + PlaneStreams.BURST);
      ByteBuf burst = context.alloc().buffer(FRAME.length * (end - from));
      for (int i = from; i < end; i++) {
        burst.writeBytes(FRAME);
      }
      if (end == items) {
        context.writeAndFlush(burst).addListener(ChannelFutureListener.CLOSE);
      } else {
        context.writeAndFlush(burst).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        context.executor().execute(() -> write(context, end));
      }
    }
  }

  /** Cuts frames apart by their declared lengths. */
  private static final class Cutter extends ByteToMessageDecoder {
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      if (in.readableBytes() < TwoPartFrame.PREFIX_BYTES) {
        return;
      }
      long length = in.getLong(in.readerIndex()) + in.getLong(in.readerIndex() + Long.BYTES);
      if (in.readableBytes() >= TwoPartFrame.PREFIX_BYTES + length) {
        out.add(in.readRetainedSlice((int) (TwoPartFrame.PREFIX_BYTES + length)));
      }
    }
  }

  /** Counts frames; adds them up when the connection ends. */
  private static final class Counter extends ChannelInboundHandlerAdapter {
    private final AtomicLong frames;
    private final CountDownLatch ended;
    private long count;

    Counter(AtomicLong frames, CountDownLatch ended) {
      this.frames = frames;
      this.ended = ended;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      count++;
      ((ByteBuf) frame).release();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      frames.addAndGet(count);
      ended.countDown();
    }
  }
}
