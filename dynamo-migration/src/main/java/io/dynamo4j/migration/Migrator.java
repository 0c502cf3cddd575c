// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.plane.ResponseStream;

/**
 * Answers requests with streams that outlive the workers producing them.
 *
 * <p>A failed attempt is replaced by another worker's that continues after the last delivered
 * token: nothing is lost or repeated. One migrator serves any number of models and requests;
 * nothing is kept of a request that has ended.
 *
 * <p><b>Threads.</b> Every method may be called from any thread. Each request runs on a lane of its
 * own.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public interface Migrator<Q, R> extends AutoCloseable {

  /** Starts a migrator that never migrates until {@link MigratorBuilder#limit} is raised. */
  static MigratorBuilder builder() {
    return new MigratorBuilder();
  }

  /** Returns the answer to a request under {@link #options()}; sent when subscribed to. */
  default ResponseStream<R> migrate(Q request) {
    return migrate(request, options());
  }

  /**
   * Returns the answer to a request under options of its own.
   *
   * <p>Beside what {@link ResponseStream} promises: an error is a {@link MigrationException} whose
   * type, worker and attempt are those of the failure that decided.
   */
  ResponseStream<R> migrate(Q request, MigrationOptions options);

  /** Returns the options of requests that bring none. */
  MigrationOptions options();

  /** Returns the counts since this migrator was built. */
  MigratorStats stats();

  /**
   * Fails open streams with {@code CLOSED}, later ones too, and closes the environment if the
   * builder made it, waiting a moment for its running tasks: then there is no lane to fail a later
   * stream from, and {@code subscribe} throws as {@link ResponseStream} says. Idempotent.
   */
  @Override
  void close();
}
