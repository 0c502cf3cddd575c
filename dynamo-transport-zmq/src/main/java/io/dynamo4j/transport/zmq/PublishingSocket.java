// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * A socket that publishes, knows how many subscriptions it has, and notices full subscribers.
 *
 * <p>A subscriber whose queue is at the high-water mark loses what is sent until it has read half
 * of it; the others get everything. Counted is each time that one was found full, not each message
 * that it then misses: those show as holes where they are missed.
 *
 * <p><b>Threads.</b> The owner thread; the counters from any.
 */
final class PublishingSocket {
  private static final byte SUBSCRIBED = 1;

  private final LoopSocket socket;
  private final byte[] filter;
  private final AtomicInteger subscriptions = new AtomicInteger();
  private final AtomicLong fullSubscribers = new AtomicLong();

  /**
   * Opens a socket.
   *
   * @param filter the first frame of every message
   */
  PublishingSocket(ZmqLoop loop, int highWater, byte[] filter) {
    this.filter = filter;
    this.socket = loop.open(SocketType.XPUB, this::subscriptionChanged);
    ZMQ.Socket settings = socket.settings();
    settings.setSndHWM(highWater);
    settings.setXpubVerboser(true);
    settings.setXpubNoDrop(true);
  }

  private void subscriptionChanged(List<byte[]> frames) {
    byte[] frame = frames.get(0);
    if (frame.length > 0 && isPrefix(frame)) {
      int change = frame[0] == SUBSCRIBED ? 1 : -1;
      subscriptions.updateAndGet(count -> Math.max(0, count + change));
    }
  }

  /** Subscriptions are prefixes; through a broker there are those of other topics as well. */
  private boolean isPrefix(byte[] frame) {
    int length = frame.length - 1;
    return length <= filter.length && Arrays.equals(frame, 1, length + 1, filter, 0, length);
  }

  /** Binds and returns the address with the port that was really bound. */
  String bind(String endpoint) {
    socket.bind(endpoint);
    return socket.boundTo();
  }

  void connect(String endpoint) {
    socket.connect(endpoint);
  }

  void send(List<byte[]> frames) {
    if (!socket.trySend(frames)) {
      fullSubscribers.incrementAndGet();
      socket.settings().setXpubNoDrop(false);
      socket.trySend(frames);
      socket.settings().setXpubNoDrop(true);
    }
  }

  /** Returns how many subscriptions there are to what this socket sends. */
  int subscriptions() {
    return subscriptions.get();
  }

  long fullSubscribers() {
    return fullSubscribers.get();
  }

  void close() {
    socket.close();
  }
}
