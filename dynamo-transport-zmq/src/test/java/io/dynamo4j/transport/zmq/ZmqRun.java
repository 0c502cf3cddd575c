// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static org.awaitility.Awaitility.await;

import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/** Real lanes, a transport, and plain sockets of a peer; closed in the order of dependence. */
final class ZmqRun implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(30);
  static final byte[] EMPTY = {};

  final RealEnvironment lanes = RealEnvironment.create();
  final ZContext peers = new ZContext();
  final ZmqTransport zmq;

  ZmqRun() {
    this(ZmqOptions.ofDefaults());
  }

  ZmqRun(ZmqOptions options) {
    zmq = ZmqTransport.create(lanes.environment(), options);
  }

  Scheduler lane() {
    return lanes.lane("listener");
  }

  /** Returns a plain socket that is used by the test's thread only. */
  ZMQ.Socket peer(SocketType type) {
    ZMQ.Socket socket = peers.createSocket(type);
    socket.setReceiveTimeOut((int) PATIENCE.toMillis());
    socket.setLinger(0);
    socket.setHandshakeIvl(2000);
    return socket;
  }

  /** Binds to a free port of the loopback address and returns the address. */
  static String bind(ZMQ.Socket socket) {
    return "tcp://127.0.0.1:" + socket.bindToRandomPort("tcp://127.0.0.1");
  }

  /** Binds to an address that may not be free yet. */
  static boolean tryBind(ZMQ.Socket socket, String address) {
    try {
      return socket.bind(address);
    } catch (ZMQException notYet) {
      return false;
    }
  }

  /**
   * Connects a peer and waits until the other side has noticed. A subscription that went down with
   * a failed greeting is made again only by a thread that uses the socket; hence every look of this
   * wait uses it, where a bare {@code connect} of a socket that the test does not read might never
   * be heard of.
   */
  static void dial(ZMQ.Socket socket, String address, Callable<Boolean> noticed) {
    socket.connect(address);
    eventually(
        () -> {
          socket.getEvents();
          return noticed.call();
        });
  }

  static void eventually(Callable<Boolean> condition) {
    await().pollInSameThread().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
  }

  static String get(CompletionStage<String> stage) throws Exception {
    return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static byte[] number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  /** Sends a message as an engine publishes it. */
  static void publish(ZMQ.Socket socket, String topic, long sequence, byte[] payload) {
    socket.send(bytes(topic), ZMQ.SNDMORE);
    socket.send(number(sequence), ZMQ.SNDMORE);
    socket.send(payload);
  }

  @Override
  public void close() {
    zmq.close();
    peers.close();
    lanes.close();
  }
}
