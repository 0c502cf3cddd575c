// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.transport.CancelHook;
import io.dynamo4j.plane.transport.StreamExchange;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** One request and its answer: the client's subscription and the worker's sink over one buffer. */
final class MemoryExchange<Q, R> extends StreamExchange<R>
    implements ResponseSink<R>, Comparable<MemoryExchange<Q, R>> {
  private final InMemoryRequestPlane<Q, R> plane;
  private final long id;
  private final Q request;
  private final CancelHook cancelHook = CancelHook.create();
  private volatile @Nullable MemoryEndpoint<Q, R> endpoint;

  MemoryExchange(
      InMemoryRequestPlane<Q, R> plane,
      WorkerInstance target,
      Q request,
      Attempt attempt,
      Flow.Subscriber<? super R> subscriber) {
    super(target, attempt, subscriber);
    this.plane = plane;
    this.id = plane.nextId();
    this.request = request;
  }

  // Client.

  @Override
  protected void send() {
    MemoryEndpoint<Q, R> found = plane.find(target());
    if (plane.isClosed()) {
      breakOff(ErrorType.CLOSED, "request plane closed", true);
    } else if (found == null) {
      breakOff(ErrorType.CANNOT_CONNECT, "nobody serves the worker's address", true);
    } else {
      found.accept(this);
    }
  }

  @Override
  protected void leaveWorker() {
    MemoryEndpoint<Q, R> by = endpoint;
    cancelHook.fire(by == null ? null : by.lane());
    release();
  }

  @Override
  protected void workerEnded() {
    cancelHook.drop();
    release();
  }

  @Override
  protected void release() {
    MemoryEndpoint<Q, R> by = endpoint;
    if (by != null) {
      by.release(this);
    }
  }

  // Worker: sink.

  /** First task on the endpoint's lane. */
  void handle() {
    MemoryEndpoint<Q, R> by = endpoint;
    if (by == null || isOver()) {
      return;
    }
    try {
      by.handler().handle(attempt().requestId(), request, this);
    } catch (DynamoException refusal) {
      fail(refusal);
    } catch (RuntimeException fault) {
      fail(error(ErrorType.BACKEND_UNKNOWN, "handler threw", fault));
    } catch (Error fault) {
      fail(error(ErrorType.BACKEND_UNKNOWN, "handler threw", fault));
      throw fault;
    }
  }

  @Override
  public void onCancel(Runnable action) {
    MemoryEndpoint<Q, R> by = endpoint;
    cancelHook.add(Objects.requireNonNull(action, "action"), by == null ? null : by.lane());
  }

  @Override
  public void open() {
    markOpened();
  }

  @Override
  public boolean next(R item) {
    Objects.requireNonNull(item, "item");
    if (isOver()) {
      return false;
    }
    if (bufferedCount() >= plane.bufferCapacity()) {
      plane.countOverflow();
      breakOff(ErrorType.BUFFER_OVERFLOW, "subscriber asks too slowly", true);
      return false;
    }
    offer(item);
    return true;
  }

  @Override
  public void complete() {
    finish(null);
  }

  @Override
  public void fail(DynamoException error) {
    finish(Objects.requireNonNull(error, "error"));
  }

  // The endpoint.

  void acceptedBy(MemoryEndpoint<Q, R> by) {
    endpoint = by;
  }

  /** Ends the stream from the worker's side, without a word of the worker. */
  void breakStream(ErrorType type, String what, boolean overtakes) {
    breakOff(type, what, overtakes);
  }

  boolean hasEnded() {
    return isOver();
  }

  @Override
  public int compareTo(MemoryExchange<Q, R> other) {
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
}
