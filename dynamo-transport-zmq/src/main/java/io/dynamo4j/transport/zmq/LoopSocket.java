// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.wire.WireLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;

/**
 * One socket of the loop.
 *
 * <p><b>Threads.</b> The owner thread, which is checked; {@link #connections} and {@link
 * #isConnected} from any.
 */
final class LoopSocket {

  /** Receives messages, on the owner thread. */
  @FunctionalInterface
  interface Receiver {

    /** One message; the list and its arrays are the receiver's. */
    void received(List<byte[]> frames);
  }

  /** Frames of a message that are looked at; no format has more. */
  private static final int MAX_FRAMES = 8;

  private static final int EVENTS = ZMQ.EVENT_HANDSHAKE_PROTOCOL | ZMQ.EVENT_DISCONNECTED;

  /**
   * How long a greeting may take before the connection is given up and made anew. JeroMQ 0.6.0
   * forgets about one in twenty of the connections that it dials: where the dialling and the
   * greeting fall into one turn of its poller, the channel's old key is cancelled and no new one is
   * made (<a href="https://github.com/zeromq/jeromq/pull/1022">its pull request 1022</a>). Its
   * default of half a minute would leave a healthy engine unheard for as long.
   */
  private static final int HANDSHAKE_MILLIS = 2000;

  private final ZmqLoop loop;
  private final ZMQ.Socket socket;
  private final Receiver receiver;
  private final SelectionKey key;
  private final AtomicInteger peers = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();
  private boolean isReady;
  private boolean isPaused;
  private boolean isClosed;

  private LoopSocket(ZmqLoop loop, ZMQ.Socket socket, Receiver receiver) {
    this.loop = loop;
    this.socket = socket;
    this.receiver = receiver;
    ZmqOptions options = loop.options();
    socket.setLinger((int) options.linger().toMillis());
    socket.setMaxMsgSize(WireLimits.MAX_FRAME_BYTES);
    socket.setHeartbeatIvl((int) options.heartbeatInterval().toMillis());
    socket.setHeartbeatTimeout((int) options.heartbeatTimeout().toMillis());
    socket.setHandshakeIvl(HANDSHAKE_MILLIS);
    socket.setReconnectIVL((int) options.minReconnect().toMillis());
    socket.setReconnectIVLMax((int) options.maxReconnect().toMillis());
    try {
      this.key = socket.getFD().register(loop.selector(), SelectionKey.OP_READ, this);
    } catch (IOException e) {
      socket.close();
      throw new UncheckedIOException("cannot watch a socket", e);
    }
  }

  static LoopSocket open(ZmqLoop loop, ZContext context, SocketType type, Receiver receiver) {
    loop.requireOwner();
    return new LoopSocket(loop, context.createSocket(type), receiver);
  }

  /** Returns the socket for settings, before it is bound or connected. */
  ZMQ.Socket settings() {
    loop.requireOwner();
    return socket;
  }

  /** Runs a task on the owner thread whenever a peer comes or goes; before the socket has any. */
  void watch(Runnable onChange) {
    socket.setEventHook(event -> connectionChanged(event, onChange), EVENTS);
  }

  /** Called by the thread that moves the bytes, before it hands on what the peer sends. */
  private void connectionChanged(ZEvent event, Runnable onChange) {
    switch (event.getEvent()) {
      case HANDSHAKE_PROTOCOL -> {
        peers.incrementAndGet();
        connections.incrementAndGet();
      }
      case DISCONNECTED -> peers.updateAndGet(count -> Math.max(0, count - 1));
      default -> {
        return;
      }
    }
    loop.execute(onChange);
  }

  /** Returns how many connections there have been that spoke ZeroMQ. */
  int connections() {
    return connections.get();
  }

  boolean isConnected() {
    return peers.get() > 0;
  }

  void connect(String endpoint) {
    loop.requireOwner();
    allowIpv6(endpoint);
    socket.connect(endpoint);
    becomeReady();
  }

  void bind(String endpoint) {
    loop.requireOwner();
    allowIpv6(endpoint);
    socket.bind(endpoint);
    becomeReady();
  }

  /** Only for addresses that need it: with it on, JeroMQ loses peers that dial an IPv4 address. */
  private void allowIpv6(String endpoint) {
    if (endpoint.startsWith("tcp://[")) {
      socket.setIPv6(true);
    }
  }

  /** Returns the address with the port that was really bound. */
  String boundTo() {
    return socket.getLastEndpoint();
  }

  void subscribe(byte[] prefix) {
    loop.requireOwner();
    socket.subscribe(prefix);
    becomeReady();
  }

  /** Sends a message if nobody has to wait for that; false if it was not sent. */
  boolean trySend(List<byte[]> frames) {
    loop.requireOwner();
    becomeReady();
    int last = frames.size() - 1;
    for (int i = 0; i <= last; i++) {
      int flags = i == last ? ZMQ.DONTWAIT : ZMQ.DONTWAIT | ZMQ.SNDMORE;
      if (!socket.send(frames.get(i), flags)) {
        return false;
      }
    }
    return true;
  }

  /** Stops reading, so that messages wait where they are, until {@link #resume}. */
  void pause() {
    if (!isPaused && !isClosed) {
      isPaused = true;
      key.interestOps(0);
    }
  }

  void resume() {
    if (isPaused && !isClosed) {
      isPaused = false;
      key.interestOps(SelectionKey.OP_READ);
      becomeReady();
    }
  }

  /**
   * Has the loop look at this socket. Needed after every call to it: the call may have taken in
   * what made the channel readable.
   */
  void becomeReady() {
    if (!isReady) {
      isReady = true;
      loop.look(this);
    }
  }

  /** Hands at most so many messages on. */
  void read(int budget) {
    loop.requireOwner();
    isReady = false;
    for (int i = 0; i < budget; i++) {
      if (isClosed || isPaused) {
        return;
      }
      List<byte[]> frames = receive();
      if (frames == null) {
        return;
      }
      receiver.received(frames);
    }
    if (!isClosed) {
      becomeReady();
    }
  }

  /** Hands on whatever has arrived. */
  void readAll() {
    loop.requireOwner();
    for (List<byte[]> frames = receive(); frames != null && !isClosed; frames = receive()) {
      receiver.received(frames);
    }
  }

  private @Nullable List<byte[]> receive() {
    byte[] frame = socket.recv(ZMQ.DONTWAIT);
    if (frame == null) {
      return null;
    }
    List<byte[]> frames = new ArrayList<>(4);
    frames.add(frame);
    while (socket.hasReceiveMore()) {
      frame = socket.recv(ZMQ.DONTWAIT);
      if (frame != null && frames.size() < MAX_FRAMES) {
        frames.add(frame);
      }
    }
    return frames;
  }

  /** Closes the socket; idempotent. What it still has to send is sent for as long as it lingers. */
  void close() {
    loop.requireOwner();
    if (!isClosed) {
      isClosed = true;
      key.cancel();
      loop.closed(this);
      socket.close();
    }
  }
}
