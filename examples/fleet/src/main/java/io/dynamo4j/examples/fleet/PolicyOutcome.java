// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import java.util.OptionalDouble;

/**
 * One policy's run.
 *
 * @param wallNanos real time that it took
 * @param simulatedHitRate what the same run in virtual time reuses, 0…1; empty where this is it
 */
record PolicyOutcome(
    FleetPolicy policy, FleetResult result, long wallNanos, OptionalDouble simulatedHitRate) {}
