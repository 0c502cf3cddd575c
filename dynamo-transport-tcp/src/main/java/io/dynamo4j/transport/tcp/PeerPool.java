// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one worker. One request at a time uses a connection, until it is acknowledged:
 * replies carry no ids, and one that went missing would be taken for the next request's.
 *
 * <p><b>Threads.</b> {@link #submit} from any; everything else on the pool's event loop.
 */
final class PeerPool {
  private final TcpIo io;
  private final TcpOptions options;
  private final Scheduler timers;
  private final InetSocketAddress address;
  private final EventLoop loop;
  private final AtomicLong dials;
  private final Consumer<PeerPool> whenEmpty;

  private final Deque<OutgoingRequest> waiting = new ArrayDeque<>();
  private final Deque<PooledConnection> idle = new ArrayDeque<>();
  private int open;
  private int dialing;

  PeerPool(
      TcpIo io,
      TcpOptions options,
      Scheduler timers,
      InetSocketAddress address,
      AtomicLong dials,
      Consumer<PeerPool> whenEmpty) {
    this.io = io;
    this.options = options;
    this.timers = timers;
    this.address = address;
    this.loop = io.nextLoop();
    this.dials = dials;
    this.whenEmpty = whenEmpty;
  }

  InetSocketAddress address() {
    return address;
  }

  void submit(OutgoingRequest request) {
    try {
      loop.execute(
          () -> {
            waiting.add(request);
            pump();
          });
    } catch (RejectedExecutionException closed) {
      request.unanswered(ErrorType.CLOSED, "request plane closed");
    }
  }

  private void pump() {
    while (true) {
      OutgoingRequest request = waiting.peek();
      if (request == null) {
        return;
      }
      if (!request.isWanted()) {
        waiting.remove();
        continue;
      }
      PooledConnection connection = idle.poll();
      if (connection == null) {
        dialAsNeeded();
        return;
      }
      waiting.remove();
      connection.send(request);
    }
  }

  private void dialAsNeeded() {
    while (dialing < waiting.size() && open + dialing < options.maxConnectionsPerPeer()) {
      dialing++;
      dials.incrementAndGet();
      PooledConnection connection = new PooledConnection(this);
      ChannelFuture dialled = io.dial(loop, address, new AckDecoder(), connection);
      dialled.addListener(done -> dialled(connection, dialled));
    }
  }

  private void dialled(PooledConnection connection, ChannelFuture result) {
    dialing--;
    if (result.isSuccess()) {
      open++;
      connection.opened();
      if (result.channel().isActive()) {
        idle.push(connection);
      } else {
        open--;
      }
    } else {
      failWaiting(result.cause());
    }
    pump();
    tellWhenEmpty();
  }

  /** An address that nothing leads to is forgotten: those of workers come and go without end. */
  private void tellWhenEmpty() {
    if (open == 0 && dialing == 0 && waiting.isEmpty()) {
      whenEmpty.accept(this);
    }
  }

  /** A worker that takes no connection takes none of the requests either. */
  private void failWaiting(@Nullable Throwable cause) {
    boolean isTimeout = cause instanceof ConnectTimeoutException;
    boolean isRefusal = cause instanceof ConnectException && !isTimeout;
    while (!waiting.isEmpty()) {
      waiting
          .remove()
          .unanswered(
              isTimeout ? ErrorType.CONNECTION_TIMEOUT : ErrorType.CANNOT_CONNECT,
              isRefusal ? "worker refuses connections" : "worker cannot be dialled");
    }
  }

  /* --------------- What connections report --------------- */

  /** The connection may take the next request. */
  void free(PooledConnection connection) {
    idle.push(connection);
    pump();
  }

  void lost(PooledConnection connection) {
    open--;
    idle.remove(connection);
    pump();
    tellWhenEmpty();
  }

  /** Arms the bound of an acknowledgement; null if the plane's lanes are closed. */
  @Nullable Cancellable armAck(Runnable overdue) {
    try {
      return timers.schedule(() -> onLoop(overdue), options.bound(TcpPhase.ACK).toNanos());
    } catch (RejectedExecutionException closed) {
      return null;
    }
  }

  private void onLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException closed) {
      // Every connection is closed with the loop.
    }
  }
}
