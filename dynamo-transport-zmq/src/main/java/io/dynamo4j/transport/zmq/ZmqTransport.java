// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Environment;
import java.util.Objects;

/**
 * A ZeroMQ context with the one thread that owns its sockets, {@code dynamo4j-zmq}, a daemon.
 *
 * <p>Any number of engines, publishers and planes share it; an engine costs two sockets a rank at
 * most and no thread. One context is enough for a process.
 *
 * <p><b>Threads.</b> Any, virtual ones included. Sockets are touched by the owner thread only and
 * nothing here interrupts it, so that an interrupted caller does no harm.
 */
public final class ZmqTransport implements AutoCloseable {
  private static final long CLOSE_TIMEOUT_NANOS = 2_000_000_000L;

  private final Environment environment;
  private final ZmqLoop loop;

  private ZmqTransport(Environment environment, ZmqLoop loop) {
    this.environment = environment;
    this.loop = loop;
  }

  /** Starts a transport with a context of its own. */
  public static ZmqTransport create(Environment environment) {
    return create(environment, ZmqOptions.ofDefaults());
  }

  /** Starts a transport. */
  public static ZmqTransport create(Environment environment, ZmqOptions options) {
    Objects.requireNonNull(options, "options");
    return new ZmqTransport(
        environment, ZmqLoop.start(environment.lanes().lane("zmq-clock").clock(), options));
  }

  Environment environment() {
    return environment;
  }

  ZmqLoop loop() {
    return loop;
  }

  /** Returns whether the transport has ended: by {@link #close}, or with the host's context. */
  public boolean isClosed() {
    return loop.isEnded();
  }

  /**
   * Ends every source, publisher and plane over this transport, sends what was published before for
   * as long as sockets linger, and ends the thread. Waits two seconds at most, though what lingers
   * longer goes on in the background; a caller's interrupt is kept. Idempotent. A context that the
   * host gave stays open.
   */
  @Override
  public void close() {
    loop.close(CLOSE_TIMEOUT_NANOS);
  }
}
