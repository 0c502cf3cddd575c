// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.LaneFailureHandler;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.RealEnvironment;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lanes on real threads, for contracts of what talks to sockets or files. Every wait is bounded far
 * beyond what it takes.
 */
public final class RealLanes implements LaneHarness {
  /** Longer than any machine takes. */
  static final long PATIENCE_MILLIS = 60_000;

  private final RealEnvironment real;
  private final NanoClock clock;
  private final Runnable afterClose;
  private volatile @Nullable Throwable failure;

  private RealLanes(Function<LaneFailureHandler, RealEnvironment> maker, Runnable afterClose) {
    this.real = maker.apply((lane, thrown) -> failure = thrown);
    this.clock = real.lane("clock").clock();
    this.afterClose = afterClose;
  }

  /** Starts lanes on the one thread that a {@link RealEnvironment} makes for itself. */
  public static RealLanes owned() {
    return new RealLanes(RealEnvironment::create, () -> {});
  }

  /** Starts lanes on a pool of some threads. */
  public static RealLanes pooled(int threads) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    return new RealLanes(
        handler -> RealEnvironment.over(pool, timer, handler),
        () -> {
          timer.shutdownNow();
          pool.shutdownNow();
        });
  }

  /** Returns these lanes with real time and the same chance in every run. */
  public Environment environment() {
    return new Environment(real, real.environment().wallClock(), RandomSource.seeded(1));
  }

  @Override
  public Lanes lanes() {
    return real;
  }

  @Override
  public void await(CompletionStage<?> stage) {
    await(stage, PATIENCE_MILLIS);
  }

  static void await(CompletionStage<?> stage, long patienceMillis) {
    try {
      stage.toCompletableFuture().get(patienceMillis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError("lanes did not get there", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public void keepBusy(long nanos) {
    long start = clock.nanoTime();
    while (clock.nanoTime() - start < nanos) {
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
    real.close();
  }

  @Override
  public void close() {
    real.close();
    afterClose.run();
  }
}
