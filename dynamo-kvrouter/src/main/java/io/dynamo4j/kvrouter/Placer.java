// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.plane.Attempt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Chooses a worker for an attempt and takes hold of it. */
@FunctionalInterface
interface Placer<Q> {

  /**
   * Chooses.
   *
   * @throws io.dynamo4j.core.model.DynamoException if no worker can be had; nothing is held then
   */
  Placement place(Q request, Attempt attempt);

  /** Returns whether a choice may have to wait; then {@link #placeLater} is asked. */
  default boolean waits() {
    return false;
  }

  /**
   * Chooses when a worker can be had.
   *
   * @throws io.dynamo4j.core.model.DynamoException if the request is refused before it could wait
   */
  default CompletionStage<Placement> placeLater(Q request, Attempt attempt) {
    return CompletableFuture.completedFuture(place(request, attempt));
  }

  /** Says that the attempt is no longer wanted, in case it waits; from any thread. */
  default void giveUp(Attempt attempt) {}
}
