// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.AddressPolicy;
import io.dynamo4j.wire.ResponseControl;
import io.dynamo4j.wire.TwoPartFrame;
import io.netty.channel.ChannelHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The listener that workers dial back to, and the answers that are awaited there.
 *
 * <p><b>Threads.</b> Any.
 */
@OrderIrrelevant("awaited answers are only looked up by subject")
final class CallHome {
  private final TcpOptions options;
  private final Scheduler timers;
  private final ConcurrentHashMap<String, TcpExchange<?, ?>> awaited = new ConcurrentHashMap<>();
  private final String hostAndPort;

  CallHome(TcpIo io, TcpOptions options, Scheduler timers) {
    this.options = options;
    this.timers = timers;
    InetSocketAddress bound =
        io.listen(
            AddressPolicy.literal(options.callHomeHost(), options.callHomePort()),
            this::newHandlers);
    this.hostAndPort = Hosts.advertised(options, options.callHomeHost(), bound.getPort());
  }

  private ChannelHandler[] newHandlers() {
    return new ChannelHandler[] {
      new FrameDecoder(options.maxMessageBytes()), new CallHomeConnection(this)
    };
  }

  /** Returns {@code host:port} as workers are told. */
  String hostAndPort() {
    return hostAndPort;
  }

  void expect(String subject, TcpExchange<?, ?> exchange) {
    awaited.put(subject, exchange);
  }

  void forget(String subject) {
    awaited.remove(subject);
  }

  /** Returns whoever awaits the answer of this subject, once; null if nobody does. */
  @Nullable TcpExchange<?, ?> take(String subject) {
    return awaited.remove(subject);
  }

  int awaitedCount() {
    return awaited.size();
  }

  /** Bounds how long a connection may stay without saying whose answer it is. */
  @Nullable Cancellable armHandshake(Runnable overdue) {
    try {
      return timers.schedule(overdue, options.bound(TcpPhase.CALL_HOME).toNanos());
    } catch (RejectedExecutionException closed) {
      return null;
    }
  }

  /** Returns the frame by which a worker learns that nobody listens. */
  static byte[] killFrame() {
    return TwoPartFrame.control(ResponseControl.word(ResponseControl.KILL));
  }
}
