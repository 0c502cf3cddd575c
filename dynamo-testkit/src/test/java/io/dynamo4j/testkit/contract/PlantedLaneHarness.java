// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.RealEnvironment;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Lanes on real threads made by a planted wrong implementation over a pool and a timer. */
@NullMarked
final class PlantedLaneHarness implements LaneHarness {
  /** Longer than any machine takes. */
  static final long PATIENCE_MILLIS = 20_000;

  private final ExecutorService pool = Executors.newFixedThreadPool(3);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private volatile @Nullable Throwable failure;
  private final RealEnvironment right =
      RealEnvironment.over(pool, timer, (lane, thrown) -> failure = thrown);
  private final Lanes lanes;
  private final long patienceMillis;

  private PlantedLaneHarness(PlantedLanes planted, long patienceMillis) {
    this.lanes = planted.over(right, pool, timer);
    this.patienceMillis = patienceMillis;
  }

  /**
   * Starts lanes.
   *
   * @param patienceMillis short only where the fault loses tasks: a slow machine must not look like
   *     a fault of another kind
   */
  static PlantedLaneHarness of(PlantedLanes planted, long patienceMillis) {
    return new PlantedLaneHarness(planted, patienceMillis);
  }

  @Override
  public Lanes lanes() {
    return lanes;
  }

  @Override
  public void await(CompletionStage<?> stage) {
    RealLanes.await(stage, patienceMillis);
  }

  @Override
  public void keepBusy(long nanos) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < nanos) {
      Thread.onSpinWait();
    }
  }

  @Override
  public boolean laneGoesOnAfterFailure() {
    return true;
  }

  @Override
  public @Nullable Throwable reportedFailure() {
    return failure;
  }

  @Override
  public void closeLanes() {
    right.close();
  }

  @Override
  public void close() {
    right.close();
    timer.shutdownNow();
    pool.shutdownNow();
  }

  /** Wraps right lanes, or replaces them, by wrong ones. */
  interface PlantedLanes {
    Lanes over(Lanes right, ExecutorService pool, ScheduledExecutorService timer);
  }
}
