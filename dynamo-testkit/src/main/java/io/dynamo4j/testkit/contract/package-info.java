// SPDX-License-Identifier: Apache-2.0
/**
 * What every implementation of a core contract must do, as abstract JUnit classes: extend one,
 * supply the implementation, and its tests run against it.
 *
 * <pre>{@code
 * class MyEventPlaneTest extends EventPlaneContract {
 *   protected LaneHarness newHarness() {
 *     return SimulatedLaneHarness.over(Simulation.builder().seed(1).build());
 *   }
 *
 *   protected EventPlane newPlane(Environment environment, int queueCapacity) {
 *     return MyEventPlane.create(environment, queueCapacity);
 *   }
 * }
 * }</pre>
 *
 * <p>{@link io.dynamo4j.testkit.contract.StreamProbe} is a subscriber of any shape that notes each
 * breach of what a response stream promises; {@link io.dynamo4j.testkit.contract.FlowTck} runs the
 * Reactive Streams TCK.
 */
@NullMarked
package io.dynamo4j.testkit.contract;

import org.jspecify.annotations.NullMarked;
