// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.plane.EventEnvelope;

/**
 * Says what befalls each envelope. Must be a function of its publisher, sequence and topic, and may
 * be asked from any lane.
 */
@FunctionalInterface
public interface EventFaultPlan {

  EventFault faultOf(EventEnvelope envelope);

  /** Says whether this envelope is lost if nothing of its publisher follows it in a while. */
  default boolean isLostBeforeIdle(EventEnvelope envelope) {
    return false;
  }
}
