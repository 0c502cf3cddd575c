// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.JetStreamOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread for what waits for the server's answers: the client's calls for streams and objects. One
 * call at a time, in order, each bounded.
 *
 * <p><b>Threads.</b> Any.
 */
final class NatsStorage {
  private static final Logger LOG = LoggerFactory.getLogger(NatsStorage.class);
  private static final long POLL_NANOS = 5_000_000;
  private static final long CLOSE_NANOS = 5_000_000_000L;

  /** Something that needs a connection. */
  interface Call<T> {
    T on(Connection connection, JetStreamOptions options) throws Exception;
  }

  private final NatsLink link;
  private final NanoClock clock;
  private final DurableStreamConfig config;
  private final JetStreamOptions options;
  private final NatsThread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean closed;

  NatsStorage(NatsTransport transport, DurableStreamConfig config, String threadName) {
    this.link = transport.link();
    this.clock = transport.environment().lanes().lane("nats-storage-clock").clock();
    this.config = config;
    this.options = JetStreamOptions.builder().requestTimeout(config.requestTimeout()).build();
    this.thread = NatsThread.of(threadName, this::run);
    thread.start();
  }

  NatsLink link() {
    return link;
  }

  boolean isClosed() {
    return closed;
  }

  private void run() {
    while (!thread.isClosing()) {
      guard(thread.take());
    }
    // First, so that a call is either still found here or fails where it is made.
    ended.countDown();
    for (Runnable late = thread.poll(); late != null; late = thread.poll()) {
      guard(late);
    }
  }

  private static void guard(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.warn("NATS storage task failed", e);
    }
  }

  /** Runs a task on the thread, also after a close if it was given before. */
  void execute(Runnable task) {
    if (!closed) {
      thread.add(task);
    }
  }

  /** Runs a call on the thread once there is a connection, or fails it after the timeout. */
  <T> CompletionStage<T> call(String what, Call<T> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    if (closed) {
      result.completeExceptionally(closedFailure(what));
      return result.minimalCompletionStage();
    }
    long deadline = clock.nanoTime() + config.requestTimeout().toNanos();
    thread.add(() -> run(what, call, deadline, result));
    if (ended.getCount() == 0) {
      result.completeExceptionally(closedFailure(what));
    }
    return result.minimalCompletionStage();
  }

  private <T> void run(String what, Call<T> call, long deadline, CompletableFuture<T> result) {
    if (result.isDone()) {
      return;
    }
    try {
      result.complete(call.on(connection(what, deadline), options));
    } catch (Exception e) {
      result.completeExceptionally(JetStreamFailures.of(what, e));
    }
  }

  private Connection connection(String what, long deadline) {
    while (true) {
      if (closed) {
        throw closedFailure(what);
      }
      Connection now = link.usable();
      if (now != null) {
        requireStorage(what, now);
        return now;
      }
      if (link.isEnded() || clock.nanoTime() - deadline >= 0) {
        throw unreachable(what);
      }
      thread.rest(POLL_NANOS);
    }
  }

  /** Rests on the thread, no longer than until the close. */
  void rest(long nanos) {
    thread.rest(nanos);
  }

  private static void requireStorage(String what, Connection now) {
    if (!now.getServerInfo().isJetStreamAvailable()) {
      throw new DurableLogException(
          Reason.DISABLED, what + ": why=the server runs without JetStream");
    }
  }

  private DurableLogException unreachable(String what) {
    NatsStatus status = link.status();
    DynamoException last = status.lastFailure();
    boolean isRefused = last != null && last.getCause() instanceof AuthenticationException;
    return new DurableLogException(
        isRefused ? Reason.NOT_ALLOWED : Reason.UNREACHABLE,
        what + ": state=" + status.state() + (last == null ? "" : ", why=" + last.getMessage()),
        last);
  }

  private static DurableLogException closedFailure(String what) {
    return new DurableLogException(Reason.CLOSED, what + ": why=it is closed");
  }

  /** Ends after what is under way; waits for that, not for ever. */
  void close() {
    closed = true;
    thread.announceClose();
    thread.awaitEnd(CLOSE_NANOS);
  }
}
