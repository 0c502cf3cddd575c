// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.model.WorkerWithDpRank;

/**
 * What whoever started an {@link Attempt} wants to know before the first item arrives.
 *
 * <p><b>Threads.</b> Called on the attempt's lane.
 */
public interface AttemptListener {

  /** A worker was chosen; called before anything is sent to it, so that a failure has a name. */
  void workerChosen(WorkerWithDpRank worker);

  /**
   * The worker's side has acknowledged the request, before it looked at it; never called by planes
   * without acknowledgements.
   */
  default void requestAcknowledged() {}

  /**
   * The worker has accepted the request and opened its stream (the response prologue). A failure
   * before this is one of a new request, after it one of an ongoing request.
   */
  void streamOpened();
}
