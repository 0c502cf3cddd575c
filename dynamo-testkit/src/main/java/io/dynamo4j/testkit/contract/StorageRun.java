// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableLogException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Lanes for a contract of storage, and ways to wait for what it does. */
class StorageRun implements AutoCloseable {
  private static final long POLL_NANOS = 10_000_000;
  private static final long SETTLE_NANOS = 50_000_000;

  private final LaneHarness harness;
  private final Environment environment;
  private final int patience;
  private final Scheduler timer;

  StorageRun(LaneHarness harness, int patience) {
    this.harness = harness;
    this.environment = RequestPlaneRun.environment(harness);
    this.patience = patience;
    this.timer = lane("timer");
  }

  final Environment environment() {
    return environment;
  }

  final Scheduler lane(String name) {
    return harness.lanes().lane(name);
  }

  /** Waits for what a stage brings. */
  final <T> T value(CompletionStage<T> stage) {
    AtomicReference<@Nullable T> value = new AtomicReference<>();
    harness.await(stage.thenAccept(value::set));
    return Objects.requireNonNull(value.get());
  }

  /** Waits for a stage that brings nothing. */
  final void done(CompletionStage<Void> stage) {
    harness.await(stage);
  }

  /** Waits for a stage to fail. */
  final DurableLogException failure(CompletionStage<?> stage) {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    harness.await(
        stage.handle(
            (value, failure) -> {
              thrown.set(
                  failure instanceof CompletionException wrapped ? wrapped.getCause() : failure);
              return true;
            }));
    assertThat(thrown.get()).isInstanceOf(DurableLogException.class);
    return (DurableLogException) Objects.requireNonNull(thrown.get());
  }

  /** Waits until a condition holds, looking again and again. */
  final void await(BooleanSupplier condition) {
    for (int i = 0; i < patience && !condition.getAsBoolean(); i++) {
      pass(POLL_NANOS);
    }
    assertThat(condition.getAsBoolean()).as("it came to that").isTrue();
  }

  /** Gives what should not happen the time to happen. */
  final void settle() {
    pass(SETTLE_NANOS);
  }

  private void pass(long nanos) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    timer.schedule(() -> passed.complete(null), nanos);
    harness.await(passed);
  }

  @Override
  public void close() {
    harness.close();
  }
}
