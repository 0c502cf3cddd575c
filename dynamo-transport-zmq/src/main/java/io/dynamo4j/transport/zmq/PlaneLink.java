// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Cancellable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;

/**
 * One subscribing socket: to one publisher, or to every broker for one subject. An address that
 * cannot be used is tried again, ever more rarely, for as long as somebody wants the link.
 *
 * <p><b>Threads.</b> The owner thread; {@link #isConnected} from any.
 */
final class PlaneLink {
  private static final long MIN_RETRY_NANOS = 200_000_000L;
  private static final long MAX_RETRY_NANOS = 30_000_000_000L;

  /** How long a publisher that is no longer announced may take to send its last messages. */
  private static final long DRAIN_NANOS = 10_000_000_000L;

  private final ZmqLoop loop;
  private final List<String> endpoints;
  private final String filter;
  private final int highWater;
  private final Runnable onFailure;
  private final LoopSocket.Receiver receiver;
  private volatile @Nullable LoopSocket socket;
  private @Nullable Cancellable retry;
  private long retryNanos = MIN_RETRY_NANOS;
  private boolean draining;
  private boolean closed;

  PlaneLink(
      ZmqLoop loop,
      List<String> endpoints,
      String filter,
      int highWater,
      Runnable onFailure,
      LoopSocket.Receiver receiver) {
    this.loop = loop;
    this.endpoints = endpoints;
    this.filter = filter;
    this.highWater = highWater;
    this.onFailure = onFailure;
    this.receiver = receiver;
  }

  void open() {
    retry = null;
    if (closed) {
      return;
    }
    LoopSocket opened = loop.open(SocketType.SUB, receiver);
    try {
      opened.settings().setRcvHWM(highWater);
      opened.watch(this::connectionChanged);
      opened.subscribe(filter.getBytes(StandardCharsets.UTF_8));
      endpoints.forEach(opened::connect);
      socket = opened;
    } catch (RuntimeException e) {
      opened.close();
      onFailure.run();
      retry = loop.schedule(retryNanos, this::open);
      retryNanos = Math.min(2 * retryNanos, MAX_RETRY_NANOS);
    }
  }

  /**
   * Closes the link once the publisher has closed its end and what it sent has been read: the
   * announcement of a publisher is withdrawn before its last messages have arrived.
   */
  void drain() {
    draining = true;
    if (isConnected()) {
      retry = loop.schedule(DRAIN_NANOS, this::close);
    } else {
      finish();
    }
  }

  private void connectionChanged() {
    if (draining && !closed && !isConnected()) {
      finish();
    }
  }

  private void finish() {
    if (socket != null) {
      socket.readAll();
    }
    close();
  }

  boolean isClosed() {
    return closed;
  }

  boolean isConnected() {
    LoopSocket open = socket;
    return open != null && (open.isConnected() || endpoints.get(0).startsWith("inproc://"));
  }

  void close() {
    closed = true;
    if (retry != null) {
      retry.cancel();
    }
    if (socket != null) {
      socket.close();
    }
  }
}
