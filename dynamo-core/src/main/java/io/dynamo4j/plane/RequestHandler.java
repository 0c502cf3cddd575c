// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/**
 * A worker's answer to requests.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
@FunctionalInterface
public interface RequestHandler<Q, R> {

  /**
   * Takes one request and answers through {@code sink}, now or later, from any thread.
   *
   * <p>Throwing before anything was sent refuses the request: the caller sees a failure before the
   * stream was opened. A {@link io.dynamo4j.core.model.DynamoException} keeps its type; anything
   * else becomes {@code BACKEND_UNKNOWN}. Throwing later is {@link ResponseSink#fail}.
   */
  void handle(String requestId, Q request, ResponseSink<R> sink);
}
