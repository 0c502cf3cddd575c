// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.LaneFailureHandler;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.RealEnvironment;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Lanes on real threads. */
@NullMarked
final class RealLaneHarness implements LaneHarness {
  /** Longer than any machine takes. */
  static final long TIMEOUT_MILLIS = 20_000;

  private volatile @Nullable Throwable reportedFailure;
  private final Lanes lanes;
  private final Runnable closeLanes;
  private final Runnable close;
  private final long timeoutMillis;

  private RealLaneHarness(LanesMaker maker, Runnable afterClose, long timeoutMillis) {
    MadeLanes made = maker.make((lane, thrown) -> reportedFailure = thrown);
    this.lanes = made.lanes();
    this.closeLanes = made.close();
    this.timeoutMillis = timeoutMillis;
    this.close =
        () -> {
          closeLanes.run();
          afterClose.run();
        };
  }

  static RealLaneHarness owned() {
    return new RealLaneHarness(
        handler -> {
          RealEnvironment environment = RealEnvironment.create(handler);
          return new MadeLanes(environment, environment::close);
        },
        () -> {},
        TIMEOUT_MILLIS);
  }

  static RealLaneHarness pooled(int threads) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    return new RealLaneHarness(
        handler -> {
          RealEnvironment environment = RealEnvironment.over(pool, timer, handler);
          return new MadeLanes(environment, environment::close);
        },
        () -> shutDown(pool, timer),
        TIMEOUT_MILLIS);
  }

  /**
   * Lanes made by a planted wrong implementation over a pool and a timer.
   *
   * @param timeoutMillis short only where the fault loses tasks: a slow machine must not look like
   *     a fault of another kind
   */
  static RealLaneHarness planted(PlantedLanes planted, long timeoutMillis) {
    ExecutorService pool = Executors.newFixedThreadPool(3);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    return new RealLaneHarness(
        handler -> {
          RealEnvironment environment = RealEnvironment.over(pool, timer, handler);
          return new MadeLanes(planted.over(environment, pool, timer), environment::close);
        },
        () -> shutDown(pool, timer),
        timeoutMillis);
  }

  private static void shutDown(ExecutorService pool, ScheduledExecutorService timer) {
    timer.shutdownNow();
    pool.shutdownNow();
  }

  @Override
  public Lanes lanes() {
    return lanes;
  }

  @Override
  public void await(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError("lanes did not get there", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
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
    return reportedFailure;
  }

  @Override
  public void closeLanes() {
    closeLanes.run();
  }

  @Override
  public void close() {
    close.run();
  }

  private record MadeLanes(Lanes lanes, Runnable close) {}

  private interface LanesMaker {
    MadeLanes make(LaneFailureHandler handler);
  }

  /** Wraps right lanes, or replaces them, by wrong ones. */
  interface PlantedLanes {
    Lanes over(Lanes right, ExecutorService pool, ScheduledExecutorService timer);
  }
}
