// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.RequestControl;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A worker's side of the plane: its handler, its lane, its open streams.
 *
 * <p><b>Threads.</b> Any.
 */
@OrderIrrelevant("streams are counted, or all broken")
final class TcpEndpoint<Q, R> implements ServedEndpoint {
  private final TcpRequestPlane<Q, R> plane;
  private final WorkerInstance instance;
  private final String path;
  private final Scheduler lane;
  private final RequestHandler<Q, R> handler;
  private final Set<TcpServerStream<Q, R>> streams = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Subscription taking;
  private volatile boolean closed;
  private volatile boolean aborted;

  TcpEndpoint(
      TcpRequestPlane<Q, R> plane,
      WorkerInstance instance,
      String path,
      Scheduler lane,
      RequestHandler<Q, R> handler) {
    this.plane = plane;
    this.instance = instance;
    this.path = path;
    this.lane = lane;
    this.handler = handler;
  }

  TcpRequestPlane<Q, R> plane() {
    return plane;
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

  /** Ends this when the endpoint closes. */
  void takesFrom(Subscription messages) {
    taking = messages;
    if (closed) {
      messages.close();
    }
  }

  /**
   * Answers a request.
   *
   * @param refusal what the answer says instead of what the handler would, null for the handler
   */
  void accept(
      RequestControl control,
      byte[] body,
      InetSocketAddress callHome,
      @Nullable DynamoException refusal) {
    TcpServerStream<Q, R> stream = new TcpServerStream<>(this, control, body, refusal);
    streams.add(stream);
    if (aborted) {
      stream.breakOff();
    }
    stream.dial(callHome);
  }

  /** Forgets a stream that is over; any number of times. */
  void release(TcpServerStream<Q, R> stream) {
    if (streams.remove(stream)) {
      plane.intake().streamEnded();
      if (streams.isEmpty()) {
        plane.forgetIfDrained(this);
      }
    }
  }

  @Override
  public int openStreamCount() {
    return streams.size();
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    plane.intake().remove(path, this);
    Subscription messages = taking;
    if (messages != null) {
      messages.close();
    }
    plane.forgetIfDrained(this);
  }

  @Override
  public void abort() {
    aborted = true;
    close();
    streams.forEach(TcpServerStream::breakOff);
  }
}
