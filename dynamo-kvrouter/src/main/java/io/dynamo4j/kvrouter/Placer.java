// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.plane.Attempt;

/** Chooses a worker for an attempt and takes hold of it. */
@FunctionalInterface
interface Placer<Q> {

  /**
   * Chooses.
   *
   * @throws io.dynamo4j.core.model.DynamoException if no worker can be had; nothing is held then
   */
  Placement place(Q request, Attempt attempt);
}
