// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.testkit.contract.LaneHarness;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Real lanes for the contracts of planes. */
final class RealLanes implements LaneHarness {
  private volatile @Nullable Throwable failure;
  private final RealEnvironment environment =
      RealEnvironment.create((lane, thrown) -> failure = thrown);

  @Override
  public Lanes lanes() {
    return environment;
  }

  @Override
  public void await(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
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
    return failure;
  }

  @Override
  public void closeLanes() {
    environment.close();
  }

  @Override
  public void close() {
    environment.close();
  }
}
