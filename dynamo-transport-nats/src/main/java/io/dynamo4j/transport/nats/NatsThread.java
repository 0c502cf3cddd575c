// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that calls into the client of NATS, whose calls may wait: a daemon with a queue of
 * tasks. Callers of this library never wait for it.
 */
final class NatsThread {
  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  private NatsThread(String name, Runnable body) {
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

  /** Makes the thread; {@code body} uses it once it is started. */
  static NatsThread of(String name, Runnable body) {
    return new NatsThread(name, body);
  }

  void start() {
    thread.start();
  }

  void add(Runnable task) {
    tasks.add(task);
  }

  /** Has {@link #take} return, with nothing to do if there is nothing. */
  void wake() {
    tasks.add(NatsThread::doNothing);
  }

  private static void doNothing() {}

  /** Returns the next task without waiting, or null. */
  @Nullable Runnable poll() {
    return tasks.poll();
  }

  /** Waits for the next task. */
  Runnable take() {
    while (true) {
      try {
        return tasks.take();
      } catch (InterruptedException foreign) {
        // Nobody here interrupts this thread; the close says when to end.
      }
    }
  }

  /** Says that the thread is to end; waits that are under way end. */
  void announceClose() {
    closing.countDown();
    wake();
  }

  boolean isClosing() {
    return closing.getCount() == 0;
  }

  /** Rests, no longer than until the close. */
  void rest(long nanos) {
    try {
      var unused = closing.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException foreign) {
      // As in take.
    }
  }

  /** Rests for this long, closing or not. */
  void pause(long nanos) {
    LockSupport.parkNanos(nanos);
  }

  /** Waits for the end, not longer than told and not at all on the thread itself. */
  void awaitEnd(long nanos) {
    if (Thread.currentThread() == thread) {
      return;
    }
    boolean interrupted = false;
    long deadline = System.nanoTime() + nanos;
    try {
      while (true) {
        try {
          var unused = ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
          return;
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
}
