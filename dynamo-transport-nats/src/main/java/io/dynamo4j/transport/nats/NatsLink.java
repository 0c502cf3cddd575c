// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.NanoClock;
import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.Nats;
import io.nats.client.impl.Headers;
import io.nats.client.support.NatsConstants;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection and the thread that uses it: tasks run in the order given, while there is a
 * connection; meanwhile they wait. Where the client gives a connection up, another is made and
 * every {@link User} starts anew on it.
 *
 * <p><b>Threads.</b> {@link #execute}, {@link #status}, {@link #isUp}, {@link #usable} and {@link
 * #close} from any; everything else on the link's thread.
 */
final class NatsLink {
  private static final Logger LOG = LoggerFactory.getLogger(NatsLink.class);
  private static final long POLL_NANOS = 20_000_000;
  private static final long ROOM_POLL_NANOS = 500_000;
  private static final Duration CONFIRMATION = Duration.ofSeconds(1);

  /** Who has something on the connection; called on the link's thread. */
  interface User {
    /** There is a connection that knows nothing yet. */
    void connected(Connection connection);

    /** The link ends; the connection is there if it ever was. */
    void ending(@Nullable Connection connection);
  }

  private final NatsOptions options;
  private final NanoClock clock;
  private final NatsThread thread;
  private final ConnectionListener listener = new Watch();
  private final AtomicLong disconnects = new AtomicLong();
  private volatile @Nullable Connection connection;
  private volatile int failedAttempts;
  private volatile @Nullable DynamoException lastFailure;
  private volatile boolean failed;
  private volatile boolean ended;
  private volatile long drainUntil;

  private final Set<User> users = new LinkedHashSet<>();
  private final List<Runnable> unconfirmed = new ArrayList<>();

  private NatsLink(NatsOptions options, NanoClock clock) {
    this.options = options;
    this.clock = clock;
    this.thread = NatsThread.of("dynamo4j-nats", this::run);
  }

  static NatsLink start(NatsOptions options, NanoClock clock) {
    NatsLink link = new NatsLink(options, clock);
    link.thread.start();
    return link;
  }

  /* --------------- From any thread --------------- */

  /**
   * Runs a task on the link's thread, after those given before; dropped once the link has ended.
   */
  void execute(Runnable task) {
    if (!ended) {
      thread.add(task);
    }
  }

  boolean isEnded() {
    return ended;
  }

  /** Returns whether a message would go out now. */
  boolean isUp() {
    Connection now = connection;
    return now != null && now.getStatus() == Connection.Status.CONNECTED;
  }

  /** Returns the most bytes that the server takes in one message; no bound if it is not known. */
  long maxPayload() {
    Connection now = connection;
    long max = now == null ? -1 : now.getMaxPayload();
    return max > 0 ? max : Long.MAX_VALUE;
  }

  NatsStatus status() {
    return new NatsStatus(state(), failedAttempts, disconnects.get(), lastFailure);
  }

  private NatsState state() {
    if (ended || thread.isClosing()) {
      return NatsState.CLOSED;
    }
    if (failed) {
      return NatsState.FAILED;
    }
    Connection now = connection;
    if (now == null || now.getStatus() == Connection.Status.CLOSED) {
      return NatsState.CONNECTING;
    }
    return now.getStatus() == Connection.Status.CONNECTED
        ? NatsState.CONNECTED
        : NatsState.RECONNECTING;
  }

  /** Ends the link once what was asked before is done, and waits for that, not for ever. */
  void close(long timeoutNanos) {
    if (!thread.isClosing()) {
      drainUntil = clock.nanoTime() + options.drain().toNanos();
    }
    thread.announceClose();
    thread.awaitEnd(timeoutNanos);
  }

  /* --------------- On the link's thread --------------- */

  /** Adds a user, which meets the connection at once if there is one. */
  void join(User user) {
    users.add(user);
    Connection now = connection;
    if (now != null) {
      user.connected(now);
    }
  }

  void leave(User user) {
    users.remove(user);
  }

  /** Returns the connection unless there is none or it is of no use any more. */
  @Nullable Connection usable() {
    return isUp() ? connection : null;
  }

  /** Returns the connection in whatever state, null if there never was one. */
  @Nullable Connection current() {
    return connection;
  }

  /** Runs an action once the server has taken everything that was asked before. */
  void whenConfirmed(Runnable action) {
    unconfirmed.add(action);
  }

  /**
   * Hands a message to the client once that has room.
   *
   * @return false if the message is lost
   */
  boolean publish(
      String subject, @Nullable String replyTo, @Nullable Headers headers, byte[] body) {
    while (true) {
      Connection to = usable();
      if (to == null) {
        return false;
      }
      try {
        to.publish(subject, replyTo, headers, body);
        return true;
      } catch (IllegalStateException | IllegalArgumentException e) {
        // The client has waited for room, two seconds unless told otherwise, and found none.
        if (!isFull(e) || isDrainOver()) {
          LOG.debug("NATS client refuses a message: {}", LoggedErrors.safe(String.valueOf(e)));
          return false;
        }
        thread.pause(ROOM_POLL_NANOS);
      }
    }
  }

  private static boolean isFull(RuntimeException refusal) {
    String message = refusal.getMessage();
    return message != null
        && (message.startsWith(NatsConstants.OUTPUT_QUEUE_IS_FULL)
            || message.startsWith(NatsConstants.OUTPUT_QUEUE_BUSY));
  }

  private boolean isDrainOver() {
    return thread.isClosing() && clock.nanoTime() - drainUntil >= 0;
  }

  private void run() {
    try {
      while (turn()) {
        // The turn has said that there will be another.
      }
    } finally {
      end();
    }
  }

  /** Returns false when the link is to end. */
  private boolean turn() {
    if (!failed && !isUp()) {
      if (thread.isClosing()) {
        return false;
      }
      bringUp();
      return true;
    }
    Runnable task = thread.poll();
    if (task == null) {
      if (thread.isClosing()) {
        return false;
      }
      if (!confirm()) {
        return true;
      }
      task = thread.take();
    }
    guard(task);
    return !isDrainOver();
  }

  /** Returns false if the server still owes a confirmation. */
  private boolean confirm() {
    Connection now = usable();
    if (unconfirmed.isEmpty() || now == null) {
      return unconfirmed.isEmpty() || failed;
    }
    try {
      now.flush(CONFIRMATION);
    } catch (TimeoutException | IllegalStateException e) {
      return false;
    } catch (InterruptedException foreign) {
      return false;
    }
    List<Runnable> confirmed = List.copyOf(unconfirmed);
    unconfirmed.clear();
    confirmed.forEach(this::guard);
    return true;
  }

  private void guard(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.warn("NATS task failed", e);
    }
  }

  /* --------------- Connecting --------------- */

  /** Takes one step towards a connection, or waits for the client to take one. */
  private void bringUp() {
    Connection now = connection;
    if (now != null && now.getStatus() != Connection.Status.CLOSED) {
      thread.rest(POLL_NANOS);
      return;
    }
    Connection given = options.connection();
    if (given != null) {
      bringUp(given);
      return;
    }
    connection = null;
    try {
      adopt(Nats.connect(options.clientOptions()));
    } catch (AuthenticationException e) {
      attemptFailed("NATS server refuses the credentials", e);
    } catch (IOException | RuntimeException e) {
      attemptFailed("NATS server cannot be reached", e);
    } catch (InterruptedException foreign) {
      attemptFailed("attempt to connect was interrupted", foreign);
    }
  }

  private void bringUp(Connection given) {
    if (given.getStatus() == Connection.Status.CLOSED) {
      giveUp(new DynamoException(ErrorType.CANNOT_CONNECT, "host has closed its NATS connection"));
    } else {
      adopt(given);
    }
  }

  private void adopt(Connection made) {
    failedAttempts = 0;
    connection = made;
    made.addConnectionListener(listener);
    for (User user : List.copyOf(users)) {
      guard(() -> user.connected(made));
    }
  }

  private void attemptFailed(String what, Exception cause) {
    int attempts = failedAttempts + 1;
    failedAttempts = attempts;
    String message =
        what
            + ": servers="
            + options.clientOptions().getServers().stream().map(NatsLink::withoutSecrets).toList()
            + ", attempt="
            + attempts
            + ", why="
            + LoggedErrors.safe(String.valueOf(cause.getMessage()));
    DynamoException failure =
        new DynamoException(ErrorType.CANNOT_CONNECT, message, null, -1, cause);
    lastFailure = failure;
    if (attempts >= options.maxConnectAttempts()) {
      giveUp(failure);
      return;
    }
    if (attempts == 1) {
      LOG.warn("{}; goes on trying", message);
    }
    thread.rest(backoffNanos(attempts));
  }

  private long backoffNanos(int attempts) {
    long doubled = options.minRetry().toNanos() << Math.min(attempts - 1, 20);
    long max = options.maxRetry().toNanos();
    return doubled <= 0 ? max : Math.min(doubled, max);
  }

  private static String withoutSecrets(URI server) {
    return server.getScheme() + "://" + server.getHost() + ":" + server.getPort();
  }

  private void giveUp(DynamoException failure) {
    lastFailure = failure;
    failed = true;
    LOG.error("NATS transport gives up: {}", failure.getMessage());
  }

  /* --------------- End --------------- */

  private void end() {
    Connection last = connection;
    flush(last);
    ended = true;
    for (User user : List.copyOf(users)) {
      guard(() -> user.ending(last));
    }
    connection = null;
    // Without a connection each task says in its own way that it came too late.
    for (Runnable task = thread.poll(); task != null; task = thread.poll()) {
      guard(task);
    }
    unconfirmed.clear();
    if (last == null) {
      return;
    }
    last.removeConnectionListener(listener);
    if (options.connection() == null) {
      close(last);
    }
  }

  private void flush(@Nullable Connection last) {
    long left = drainUntil - clock.nanoTime();
    if (last == null || left <= 0 || last.getStatus() != Connection.Status.CONNECTED) {
      return;
    }
    try {
      last.flush(Duration.ofNanos(left));
    } catch (TimeoutException | IllegalStateException | InterruptedException e) {
      LOG.debug("NATS connection ends before everything was sent: {}", String.valueOf(e));
    }
  }

  private static void close(Connection own) {
    try {
      own.close();
    } catch (InterruptedException foreign) {
      LOG.debug("close of the NATS connection was interrupted");
    }
  }

  /** Counts losses and has the thread look at once. */
  private final class Watch implements ConnectionListener {
    @Override
    @SuppressWarnings("deprecation") // The client calls a newer method too; this one is required.
    public void connectionEvent(Connection source, Events type) {
      if (type == Events.DISCONNECTED) {
        disconnects.incrementAndGet();
      }
      if (type.isConnectionEvent()) {
        thread.wake();
      }
    }
  }
}
