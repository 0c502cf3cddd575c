// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.transport.zmq.ZmqBrokers;
import java.util.List;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** A broker as Dynamo runs it: XSUB to XPUB, on a thread of its own. */
final class ZmqProxy implements AutoCloseable {
  private static final String LOOPBACK = "tcp://127.0.0.1";
  private static final String CONTROL = "inproc://control";
  private static final long PATIENCE_MILLIS = 30_000;

  private final ZContext context = new ZContext();
  private final Thread thread;
  private final ZmqBrokers brokers;

  ZmqProxy() {
    ZMQ.Socket in = context.createSocket(SocketType.XSUB);
    ZMQ.Socket out = context.createSocket(SocketType.XPUB);
    brokers = ZmqBrokers.of(List.of(bind(in)), List.of(bind(out)));
    ZMQ.Socket control = context.createSocket(SocketType.PAIR);
    control.bind(CONTROL);
    thread = new Thread(() -> ZMQ.proxy(in, out, null, control), "test-broker");
    thread.setDaemon(true);
    thread.start();
  }

  private static String bind(ZMQ.Socket socket) {
    return LOOPBACK + ":" + socket.bindToRandomPort(LOOPBACK);
  }

  ZmqBrokers brokers() {
    return brokers;
  }

  @Override
  public void close() {
    try (ZMQ.Socket stop = context.createSocket(SocketType.PAIR)) {
      stop.connect(CONTROL);
      stop.send(ZMQ.PROXY_TERMINATE);
      thread.join(PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    context.close();
  }
}
