// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.List;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** A broker as Dynamo runs it: XSUB to XPUB, on a thread of its own. */
final class PlainBroker implements AutoCloseable {
  final String forPublishers;
  final String forSubscribers;
  private final ZContext context = new ZContext();
  private final Thread thread;

  PlainBroker() {
    ZMQ.Socket in = context.createSocket(SocketType.XSUB);
    ZMQ.Socket out = context.createSocket(SocketType.XPUB);
    in.setHandshakeIvl(2000);
    out.setHandshakeIvl(2000);
    in.setRcvHWM(100_000);
    out.setSndHWM(100_000);
    forPublishers = ZmqRun.bind(in);
    forSubscribers = ZmqRun.bind(out);
    ZMQ.Socket control = context.createSocket(SocketType.PAIR);
    control.bind("inproc://stop");
    thread = new Thread(() -> ZMQ.proxy(in, out, null, control), "broker");
    thread.setDaemon(true);
    thread.start();
  }

  ZmqBrokers brokers() {
    return ZmqBrokers.of(List.of(forPublishers), List.of(forSubscribers));
  }

  @Override
  public void close() {
    if (context.isClosed()) {
      return;
    }
    try (ZMQ.Socket stop = context.createSocket(SocketType.PAIR)) {
      stop.connect("inproc://stop");
      stop.send(ZMQ.PROXY_TERMINATE);
      thread.join(30_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    context.close();
  }
}
