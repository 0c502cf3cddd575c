// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * A connection to NATS with the one thread that uses it, {@code dynamo4j-nats}, a daemon. Any
 * number of planes share it; one is enough for a process.
 *
 * <p>Creating it waits for nothing: the thread connects, tries again in growing steps where it
 * fails, and gives up after {@link NatsOptions#maxConnectAttempts}. {@link #status} tells how far
 * it is. A connection that is lost later is made anew; what others published meanwhile is missed
 * and shows as gaps in their numbers.
 *
 * <p><b>Threads.</b> Any, virtual ones included; nobody waits for the server but the thread.
 */
public final class NatsTransport implements AutoCloseable {
  private static final long CLOSE_MARGIN_NANOS = 3_000_000_000L;

  private final Environment environment;
  private final NatsLink link;
  private final long closeNanos;

  private NatsTransport(Environment environment, NatsOptions options) {
    this.environment = environment;
    this.closeNanos = options.drain().toNanos() + CLOSE_MARGIN_NANOS;
    this.link = NatsLink.start(options, environment.lanes().lane("nats-clock").clock());
  }

  /** Starts a transport with a connection of its own to {@code nats://localhost:4222}. */
  public static NatsTransport create(Environment environment) {
    return create(environment, NatsOptions.ofDefaults());
  }

  /** Starts a transport. */
  public static NatsTransport create(Environment environment, NatsOptions options) {
    return new NatsTransport(
        Objects.requireNonNull(environment, "environment"),
        Objects.requireNonNull(options, "options"));
  }

  Environment environment() {
    return environment;
  }

  NatsLink link() {
    return link;
  }

  /** Returns what is known now. */
  public NatsStatus status() {
    return link.status();
  }

  /**
   * Runs an action once the server has confirmed everything that was asked of planes before, such
   * as a subscription: who announces an endpoint in discovery should wait for this. Without a
   * server it runs when there is one, perhaps never.
   *
   * @param lane where {@code action} runs
   */
  public void whenConfirmed(Scheduler lane, Runnable action) {
    Objects.requireNonNull(lane, "lane");
    Objects.requireNonNull(action, "action");
    link.execute(
        () ->
            link.whenConfirmed(
                () -> {
                  try {
                    lane.execute(action);
                  } catch (RejectedExecutionException closed) {
                    // Whoever wanted to know is gone.
                  }
                }));
  }

  /**
   * Ends every plane over this transport, sends what was published before for as long as {@link
   * NatsOptions#drain} allows, and ends the thread; a connection of the host's stays open. Waits a
   * little longer than that at most; a caller's interrupt is kept. Idempotent.
   */
  @Override
  public void close() {
    link.close(closeNanos);
  }
}
