// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lanes of one simulated node. */
public final class SimulatedLaneHarness implements LaneHarness {
  private final Simulation simulation;
  private final SimulatedNode node;
  private @Nullable Throwable reportedFailure;

  private SimulatedLaneHarness(Simulation simulation) {
    this.simulation = simulation;
    this.node = simulation.node("node");
  }

  /** Returns a harness over a fresh node of a simulation. */
  public static SimulatedLaneHarness over(Simulation simulation) {
    return new SimulatedLaneHarness(simulation);
  }

  @Override
  public Lanes lanes() {
    return node;
  }

  @Override
  public void await(CompletionStage<?> stage) {
    try {
      simulation.await(stage);
    } catch (SimulationFailure failure) {
      reportedFailure = failure.getCause();
      throw new AssertionError(failure.getMessage(), failure);
    }
  }

  @Override
  public void keepBusy(long nanos) {
    // No virtual time passes during a task.
  }

  @Override
  public boolean laneGoesOnAfterFailure() {
    return false;
  }

  @Override
  public @Nullable Throwable reportedFailure() {
    return reportedFailure;
  }

  @Override
  public void closeLanes() {
    node.shutdown();
  }

  @Override
  public void close() {
    node.shutdown();
  }
}
