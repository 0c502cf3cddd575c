// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A port that stays the same while servers behind it come and go, and that can keep what comes to
 * itself: a partition in which no connection ends.
 */
final class NatsProxy implements AutoCloseable {
  private static final int NOWHERE = -1;

  private final ServerSocket listening;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean forwarding = true;
  private boolean closed;
  private volatile int target;

  private NatsProxy(ServerSocket listening, int target) {
    this.listening = listening;
    this.target = target;
  }

  static NatsProxy to(NatsServer server) {
    return to(server.port());
  }

  /** Returns a proxy without a server behind it: whoever connects is let go at once. */
  static NatsProxy toNowhere() {
    return to(NOWHERE);
  }

  private static NatsProxy to(int target) {
    try {
      NatsProxy proxy =
          new NatsProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
      daemon(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "nats://127.0.0.1:" + listening.getLocalPort();
  }

  /** Later connections go nowhere: a port of a server that is gone may be another's by now. */
  void retargetNowhere() {
    target = NOWHERE;
  }

  /** Later connections go to this server. */
  void retarget(NatsServer server) {
    target = server.port();
  }

  /** Keeps everything that comes from now on, in either direction. */
  void stopForwarding() {
    setForwarding(false);
  }

  /** Lets what was kept go on, and everything after it. */
  void goOn() {
    setForwarding(true);
  }

  /** Ends all connections, and drops what was kept of them; later ones are let through. */
  void cut() {
    List.copyOf(sockets).forEach(this::closeQuietly);
    setForwarding(true);
  }

  private void setForwarding(boolean now) {
    lock.lock();
    try {
      forwarding = now;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (true) {
      try {
        Socket from = listening.accept();
        sockets.add(from);
        daemon(() -> connect(from));
      } catch (IOException ended) {
        return;
      }
    }
  }

  private void connect(Socket from) {
    int port = target;
    if (port == NOWHERE) {
      closeQuietly(from);
      return;
    }
    try {
      Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
      sockets.add(to);
      daemon(() -> pump(from, to));
      pump(to, from);
    } catch (IOException noServer) {
      closeQuietly(from);
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[16_384];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitForwarding();
        out.write(buffer, 0, read);
      }
    } catch (IOException ended) {
      // Either side is gone; the other follows.
    } finally {
      closeQuietly(from);
      closeQuietly(to);
    }
  }

  private void awaitForwarding() {
    lock.lock();
    try {
      while (!forwarding && !closed) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void closeQuietly(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException gone) {
      // Closed is what it was to be.
    }
  }

  private static void daemon(Runnable body) {
    Thread thread = new Thread(body, "test-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      listening.close();
    } catch (IOException gone) {
      // Closed is what it was to be.
    }
    sockets.forEach(this::closeQuietly);
  }
}
