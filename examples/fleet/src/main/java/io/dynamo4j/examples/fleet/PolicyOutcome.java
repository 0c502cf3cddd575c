// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;

/**
 * One policy's run.
 *
 * @param wallNanos real time that it took; everything else is virtual
 */
record PolicyOutcome(FleetPolicy policy, FleetResult result, long wallNanos) {}
