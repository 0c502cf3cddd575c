// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/**
 * Starts one attempt of a request on some worker: where migration and routing meet.
 *
 * <p>A dispatcher chooses a worker that the attempt does not exclude, reports it through {@link
 * Attempt#workerChosen} before sending, and never retries. Whatever it holds for the attempt (a
 * booking) is released before the stream's terminal signal.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
@FunctionalInterface
public interface RequestDispatcher<Q, R> {

  /**
   * Returns the attempt's stream; nothing happens before it is subscribed to. Every failure, choice
   * of a worker included, is a signal of that stream and never thrown here.
   */
  ResponseStream<R> dispatch(Q request, Attempt attempt);
}
