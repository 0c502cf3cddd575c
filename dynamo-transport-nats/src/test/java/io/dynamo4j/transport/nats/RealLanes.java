// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.testkit.contract.LaneHarness;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Lanes on three real threads; every wait is bounded far beyond what it takes. */
final class RealLanes implements LaneHarness {
  private static final long PATIENCE_SECONDS = 60;

  private final ExecutorService pool = Executors.newFixedThreadPool(3);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private volatile @Nullable Throwable failure;
  private final RealEnvironment lanes =
      RealEnvironment.over(pool, timer, (lane, thrown) -> failure = thrown);

  Environment environment() {
    return new Environment(lanes, Instant::now, RandomSource.seeded(1));
  }

  @Override
  public Lanes lanes() {
    return lanes;
  }

  @Override
  public void await(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError("lanes did not get there", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public void keepBusy(long nanos) {
    throw new UnsupportedOperationException("no contract of planes keeps lanes busy");
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
    lanes.close();
  }

  @Override
  public void close() {
    lanes.close();
    timer.shutdownNow();
    pool.shutdownNow();
  }
}
