// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.migration.event.MigrationListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Second stage of building a {@link Migrator}: what it works with.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public final class TypedMigratorBuilder<Q, R> {
  final MigrationOptions options;
  final MigrationPolicy policy;
  final ReplayAdapter<Q, R> adapter;
  @Nullable RequestDispatcher<Q, R> dispatcher;
  @Nullable Environment environment;
  @Nullable WorkerHealth health;
  @Nullable WorkerDirectory directory;
  @Nullable MigrationListener listener;

  TypedMigratorBuilder(
      MigrationOptions options, MigrationPolicy policy, ReplayAdapter<Q, R> adapter) {
    this.options = options;
    this.policy = policy;
    this.adapter = Objects.requireNonNull(adapter, "adapter");
  }

  /** Sets what starts each attempt; required. */
  public TypedMigratorBuilder<Q, R> dispatcher(RequestDispatcher<Q, R> dispatcher) {
    this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    return this;
  }

  /** Sets where requests run; without one the migrator makes its own and closes it with itself. */
  public TypedMigratorBuilder<Q, R> environment(Environment environment) {
    this.environment = Objects.requireNonNull(environment, "environment");
    return this;
  }

  /**
   * Sets the memory of failures that dispatchers read; fed with each attempt's outcome. Without one
   * a failed worker is avoided by its own request only.
   */
  public TypedMigratorBuilder<Q, R> health(WorkerHealth health) {
    this.health = Objects.requireNonNull(health, "health");
    return this;
  }

  /**
   * Sets who is registered. A request that waits for a worker then goes on as soon as one appears,
   * a worker that failed it may be asked again in its next life, and what workers declare that they
   * can resume is known.
   */
  public TypedMigratorBuilder<Q, R> directory(WorkerDirectory directory) {
    this.directory = Objects.requireNonNull(directory, "directory");
    return this;
  }

  /** Sets who hears of each request's steps; without one no event is built. */
  public TypedMigratorBuilder<Q, R> listener(MigrationListener listener) {
    this.listener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * Builds the migrator.
   *
   * @throws IllegalStateException without a dispatcher
   */
  public Migrator<Q, R> build() {
    return DefaultMigrator.of(this);
  }
}
