// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that owns the sockets of a context: a daemon of the platform, never interrupted
 * from here, since an interrupt in the middle of a socket's work breaks the context.
 */
final class ZmqThread {
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);

  private ZmqThread(String name, Runnable body) {
    thread =
        new Thread(
            () -> {
              try {
                body.run();
              } finally {
                ended.countDown();
              }
            },
            name);
    thread.setDaemon(true);
  }

  static ZmqThread start(String name, Runnable body) {
    ZmqThread started = new ZmqThread(name, body);
    started.thread.start();
    return started;
  }

  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /** Returns a mark of the calling thread. */
  static Mark mark() {
    return new Mark(Thread.currentThread());
  }

  /** Returns the calling thread's name. */
  static String name() {
    return Thread.currentThread().getName();
  }

  /**
   * Waits for the end, not longer than told and not at all on the thread itself. An interrupt of
   * the caller is kept for the caller and does not shorten the wait.
   *
   * @return whether the thread has ended
   */
  boolean awaitEnd(long timeoutNanos) {
    if (isCurrent()) {
      return false;
    }
    boolean interrupted = false;
    long deadline = System.nanoTime() + timeoutNanos;
    try {
      while (true) {
        try {
          return ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException kept) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Forgets an interrupt of the calling thread, which somebody outside must have found. */
  static void forgetInterrupt() {
    var unused = Thread.interrupted();
  }

  /** Knows one thread again. */
  static final class Mark {
    private final Thread thread;

    private Mark(Thread thread) {
      this.thread = thread;
    }

    boolean isCurrent() {
      return Thread.currentThread() == thread;
    }
  }
}
