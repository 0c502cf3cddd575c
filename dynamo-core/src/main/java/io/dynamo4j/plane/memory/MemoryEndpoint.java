// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.RejectedExecutionException;

/**
 * A worker's side of the plane: its handler, its lane, its open streams.
 *
 * <p>Streams are kept in the order they were opened, so that breaking them is deterministic.
 */
final class MemoryEndpoint<Q, R> implements ServedEndpoint, Comparable<MemoryEndpoint<Q, R>> {
  private final InMemoryRequestPlane<Q, R> plane;
  private final long id;
  private final WorkerInstance instance;
  private final Scheduler lane;
  private final RequestHandler<Q, R> handler;
  private final ConcurrentSkipListSet<MemoryExchange<Q, R>> streams = new ConcurrentSkipListSet<>();
  private volatile boolean closed;
  private volatile boolean aborted;

  MemoryEndpoint(
      InMemoryRequestPlane<Q, R> plane,
      long id,
      WorkerInstance instance,
      Scheduler lane,
      RequestHandler<Q, R> handler) {
    this.plane = plane;
    this.id = id;
    this.instance = instance;
    this.lane = Objects.requireNonNull(lane, "lane");
    this.handler = Objects.requireNonNull(handler, "handler");
  }

  long workerId() {
    return instance.workerId();
  }

  Scheduler lane() {
    return lane;
  }

  RequestHandler<Q, R> handler() {
    return handler;
  }

  /** Takes a stream in and hands its request to the handler's lane. */
  void accept(MemoryExchange<Q, R> exchange) {
    streams.add(exchange);
    exchange.acceptedBy(this);
    // Whoever ends the stream or the endpoint after this sees the stream in the set.
    if (exchange.hasEnded()) {
      release(exchange);
    } else if (aborted) {
      exchange.breakStream(ErrorType.DISCONNECTED, "worker is gone", true);
    } else if (plane.isClosed()) {
      exchange.breakStream(ErrorType.CLOSED, "request plane closed", true);
    } else if (closed || !post(exchange::handle)) {
      exchange.breakStream(ErrorType.CANNOT_CONNECT, "worker takes no requests", true);
    }
  }

  /** Forgets a stream that is over; any number of times. */
  void release(MemoryExchange<Q, R> exchange) {
    if (streams.remove(exchange)) {
      forgetIfDrained();
    }
  }

  /** Returns false if the worker's lane is closed. */
  boolean post(Runnable task) {
    try {
      lane.execute(task);
      return true;
    } catch (RejectedExecutionException gone) {
      return false;
    }
  }

  void breakStreams(ErrorType type, String what, boolean overtakes) {
    for (MemoryExchange<Q, R> exchange : streams) {
      exchange.breakStream(type, what, overtakes);
    }
  }

  /** Costs O(streams): the set alone says what is open, so that no count can lag behind it. */
  @Override
  public int openStreamCount() {
    return streams.size();
  }

  @Override
  public void close() {
    closed = true;
    plane.withdraw(instance.address(), this);
    forgetIfDrained();
  }

  @Override
  public void abort() {
    aborted = true;
    close();
    for (MemoryExchange<Q, R> exchange : streams) {
      exchange.breakStream(ErrorType.DISCONNECTED, "worker is gone", !plane.framesSurviveAbort());
    }
  }

  private void forgetIfDrained() {
    if (closed && streams.isEmpty()) {
      plane.forget(this);
    }
  }

  @Override
  public int compareTo(MemoryEndpoint<Q, R> other) {
    return Long.compare(id, other.id);
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(id);
  }

  @Override
  public String toString() {
    return "MemoryEndpoint[instance=" + instance + ", openStreams=" + streams.size() + "]";
  }
}
