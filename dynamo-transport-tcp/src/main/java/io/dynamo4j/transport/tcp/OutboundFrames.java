// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.SocketChannel;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Frames on their way into a connection: what was sent in one burst is written at once, and no more
 * waits for a slow reader than allowed.
 *
 * <p><b>Threads.</b> {@link #send} by one at a time, from anywhere; writing on the connection's
 * event loop.
 */
final class OutboundFrames {
  private final int maxUnsentBytes;
  private final Runnable tooSlow;
  private final Runnable lastWritten;
  private final ConcurrentLinkedQueue<byte[]> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong unsent = new AtomicLong();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile boolean lastQueued;
  private volatile @Nullable Channel channel;

  OutboundFrames(int maxUnsentBytes, Runnable tooSlow, Runnable lastWritten) {
    this.maxUnsentBytes = maxUnsentBytes;
    this.tooSlow = tooSlow;
    this.lastWritten = lastWritten;
  }

  /** Gives the connection; nothing may be sent before. */
  void attach(Channel connected) {
    channel = connected;
  }

  void send(byte[] frame) {
    Channel to = channel;
    if (to == null || !to.isActive()) {
      return;
    }
    if (unsent.addAndGet(frame.length) > maxUnsentBytes) {
      tooSlow.run();
      return;
    }
    queue.add(frame);
    schedule(to);
  }

  /** Sends the last frame: the connection is closed for writing after it. */
  void sendLast(byte[] frame) {
    lastQueued = true;
    send(frame);
  }

  private void schedule(Channel to) {
    if (scheduled.compareAndSet(false, true)) {
      try {
        to.eventLoop().execute(this::write);
      } catch (RejectedExecutionException closed) {
        // The connection is closed with its loop.
      }
    }
  }

  private void write() {
    scheduled.set(false);
    Channel to = channel;
    byte[] frame = queue.poll();
    if (to == null || frame == null) {
      return;
    }
    ByteBuf burst = to.alloc().buffer((int) Math.max(frame.length, unsent.get()));
    while (frame != null) {
      burst.writeBytes(frame);
      frame = queue.poll();
    }
    int bytes = burst.readableBytes();
    ChannelFuture written = to.writeAndFlush(burst);
    written.addListener(done -> unsent.addAndGet(-bytes));
    written.addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    if (lastQueued && queue.isEmpty()) {
      written.addListener(
          done -> {
            if (done.isSuccess() && to instanceof SocketChannel socket) {
              TcpIo.ignore(socket.shutdownOutput());
              lastWritten.run();
            }
          });
    }
  }

  void close() {
    Channel open = channel;
    if (open != null) {
      // After what is being written now.
      try {
        open.eventLoop().execute(() -> TcpIo.ignore(open.close()));
      } catch (RejectedExecutionException closed) {
        // Closed with its loop.
      }
    }
  }
}
