// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQException;

/**
 * What the owner thread does: commands of other threads, timers, and sockets that have something to
 * read, in turns in which each socket gets its share.
 *
 * <p><b>Why a selector of its own.</b> JeroMQ's poller takes time proportional to the sockets for
 * each message and cannot be woken; the channel of a socket is readable whenever other threads have
 * left something for it, and stays so until it has been emptied.
 *
 * <p><b>Threads.</b> {@link #execute}, {@link #close} and {@link #isEnded} from any; everything
 * else on the owner thread.
 */
final class ZmqLoop {
  private static final Logger LOG = LoggerFactory.getLogger(ZmqLoop.class);
  private static final int COMMANDS_PER_TURN = 1024;
  private static final int MESSAGES_PER_TURN = 256;

  /** Two for each of as many ranks as one would ever put behind one router. */
  private static final int MAX_SOCKETS = 16_384;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final NanoClock clock;
  private final ZmqOptions options;
  private final ZContext context;
  private final Selector selector;
  private final ZmqThread thread;
  private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean sleeping = new AtomicBoolean();
  private volatile ZmqThread.@Nullable Mark owner;
  private volatile boolean closing;
  private volatile boolean ended;

  private final ArrayDeque<LoopSocket> ready = new ArrayDeque<>();
  private final Set<LoopSocket> sockets = new LinkedHashSet<>();
  private final Set<Runnable> atEnd = new LinkedHashSet<>();
  private final LoopTimers timers = new LoopTimers();

  private ZmqLoop(NanoClock clock, ZmqOptions options) {
    this.clock = clock;
    this.options = options;
    ZContext given = options.context();
    this.context = given != null ? given : ownContext(options);
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector", e);
    }
    this.thread = ZmqThread.start("dynamo4j-zmq", this::run);
  }

  private static ZContext ownContext(ZmqOptions options) {
    ZContext own = new ZContext(options.ioThreads());
    own.getContext().setMaxSockets(MAX_SOCKETS);
    return own;
  }

  static ZmqLoop start(NanoClock clock, ZmqOptions options) {
    return new ZmqLoop(clock, options);
  }

  /* --------------- From any thread --------------- */

  /** Runs a task on the owner thread, after those given before; dropped once the loop has ended. */
  void execute(Runnable task) {
    if (ended) {
      return;
    }
    commands.add(task);
    wake();
  }

  private void wake() {
    if (sleeping.get() && sleeping.compareAndSet(true, false)) {
      selector.wakeup();
    }
  }

  /** Asks the loop to end once what was asked before is done, and waits for that, not for ever. */
  boolean close(long timeoutNanos) {
    execute(() -> closing = true);
    return thread.awaitEnd(timeoutNanos);
  }

  boolean isEnded() {
    return ended;
  }

  NanoClock clock() {
    return clock;
  }

  ZmqOptions options() {
    return options;
  }

  /* --------------- On the owner thread --------------- */

  /** Opens a socket whose messages go to {@code receiver}. */
  LoopSocket open(SocketType type, LoopSocket.Receiver receiver) {
    LoopSocket socket = LoopSocket.open(this, context, type, receiver);
    sockets.add(socket);
    return socket;
  }

  void closed(LoopSocket socket) {
    sockets.remove(socket);
  }

  Selector selector() {
    return selector;
  }

  /**
   * Fails on any other thread: sockets are not safe to share, and what breaks then breaks
   * elsewhere.
   *
   * @throws IllegalStateException if this is not the owner thread
   */
  void requireOwner() {
    ZmqThread.Mark known = owner;
    if (known == null || !known.isCurrent()) {
      throw new IllegalStateException("socket used off its thread: thread=" + ZmqThread.name());
    }
  }

  /** Looks at a socket in this turn or the next, whether or not its channel says so. */
  void look(LoopSocket socket) {
    ready.add(socket);
  }

  Cancellable schedule(long delayNanos, Runnable task) {
    return timers.add(clock.nanoTime() + delayNanos, task);
  }

  /** Runs a task when the loop ends, before sockets are closed. */
  void atEnd(Runnable task) {
    atEnd.add(task);
  }

  void notAtEnd(Runnable task) {
    atEnd.remove(task);
  }

  private void run() {
    owner = ZmqThread.mark();
    try {
      while (!closing) {
        turn();
      }
    } catch (ContextEndedException e) {
      LOG.info("ZeroMQ context was closed by the host; its transport ends with it");
    } catch (IOException | RuntimeException e) {
      LOG.error("ZeroMQ thread failed and ends", e);
    } finally {
      end();
    }
  }

  private void turn() throws IOException {
    ZmqThread.forgetInterrupt();
    for (int i = 0; i < COMMANDS_PER_TURN; i++) {
      Runnable command = commands.poll();
      if (command == null) {
        break;
      }
      guard(command);
    }
    fireTimers();
    select();
    for (SelectionKey key : selector.selectedKeys()) {
      ((LoopSocket) key.attachment()).becomeReady();
    }
    selector.selectedKeys().clear();
    for (int i = ready.size(); i > 0; i--) {
      LoopSocket socket = ready.remove();
      guard(() -> socket.read(MESSAGES_PER_TURN));
    }
  }

  private void fireTimers() {
    long now = clock.nanoTime();
    for (Runnable task = timers.pollDue(now); task != null; task = timers.pollDue(now)) {
      guard(task);
    }
  }

  private void select() throws IOException {
    sleeping.set(true);
    try {
      if (closing || !ready.isEmpty() || !commands.isEmpty()) {
        selector.selectNow();
        return;
      }
      long nanos = timers.nanosToNext(clock.nanoTime());
      if (nanos == LoopTimers.NONE) {
        selector.select();
      } else {
        selector.select(nanos / NANOS_PER_MILLI + 1);
      }
    } finally {
      sleeping.set(false);
    }
  }

  /** A task that fails is one peer's trouble; only the end of the context is everybody's. */
  private void guard(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      if (isContextEnded(e)) {
        throw new ContextEndedException(e);
      }
      LOG.warn("ZeroMQ task failed", e);
    }
  }

  private boolean isContextEnded(RuntimeException e) {
    return context.isClosed()
        || (e instanceof ZMQException zmq
            && zmq.getErrorCode() == org.zeromq.ZMQ.Error.ETERM.getCode());
  }

  private void end() {
    ended = true;
    attempt(() -> List.copyOf(atEnd).forEach(this::attempt));
    attempt(() -> new ArrayList<>(sockets).forEach(socket -> attempt(socket::close)));
    commands.clear();
    if (options.context() == null) {
      attempt(context::close);
    }
    attempt(this::closeSelector);
  }

  private void closeSelector() {
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the selector", e);
    }
  }

  private void attempt(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.debug("ZeroMQ thread ends in disorder", e);
    }
  }

  /** The host has closed its context, and the sockets with it. */
  private static final class ContextEndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ContextEndedException(Throwable cause) {
      super("ZeroMQ context is closed", cause);
    }
  }
}
