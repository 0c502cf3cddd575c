// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/**
 * Sends requests to workers and streams their answers back; the worker's side of the same.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public interface RequestPlane<Q, R> extends AutoCloseable {

  /**
   * Returns the answer of one worker; sent when subscribed to.
   *
   * <p>A worker that cannot be reached or refuses fails the stream before {@link
   * Attempt#streamOpened}; a connection lost later fails it with {@code DISCONNECTED}. A stream
   * that ends without the worker's own end mark is a failure, never a completion. An attempt whose
   * {@link Attempt#deadlineNanos} passes before the worker has ended the stream fails with {@code
   * DEADLINE_EXCEEDED}. Errors name the target's worker and the attempt's number.
   */
  ResponseStream<R> send(WorkerInstance target, Q request, Attempt attempt);

  /**
   * Answers requests addressed to {@code instance}. The handler runs on a lane or thread of the
   * worker's side, never inline under a client's stack.
   *
   * @throws IllegalStateException if the address is already served
   */
  ServedEndpoint serve(WorkerInstance instance, RequestHandler<Q, R> handler);

  /** Fails open streams, ends served endpoints; idempotent. */
  @Override
  void close();
}
