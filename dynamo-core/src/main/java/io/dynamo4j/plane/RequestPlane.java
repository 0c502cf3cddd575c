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
   * that ends without the worker's own end mark is a failure, never a completion.
   */
  ResponseStream<R> send(WorkerInstance target, Q request, Attempt attempt);

  /**
   * Answers requests addressed to {@code instance}.
   *
   * @throws IllegalStateException if the address is already served
   */
  ServedEndpoint serve(WorkerInstance instance, RequestHandler<Q, R> handler);

  /** Fails open streams, ends served endpoints; idempotent. */
  @Override
  void close();
}
