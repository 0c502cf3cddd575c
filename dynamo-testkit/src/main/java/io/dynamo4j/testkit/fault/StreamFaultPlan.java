// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.WorkerInstance;

/**
 * Says what befalls each attempt. Must be a function of the attempt's request id and number and of
 * the target, and may be asked from any lane.
 */
@FunctionalInterface
public interface StreamFaultPlan {

  StreamFault faultOf(WorkerInstance target, Attempt attempt);
}
