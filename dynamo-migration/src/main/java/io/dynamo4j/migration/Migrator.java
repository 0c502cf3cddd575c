// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.plane.ResponseStream;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

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

  /**
   * Moves the open streams of a worker elsewhere, in good health and at a token boundary, those
   * with the fewest tokens to compute again first and only some at a time. A stream leaves the
   * worker once another one has opened its stream: where nobody takes it over it goes on as it is,
   * and is tried again later. Moving spends none of a request's {@link MigrationOptions#limit()}.
   *
   * <p>The worker is marked as draining in the migrator's {@code WorkerHealth}, and stays so after:
   * whoever keeps it on calls {@code undrain}; a stream that left it may come back then. Streams
   * that cannot be moved, those without migration ({@code limit} 0) included, are waited for.
   *
   * @param within how long all of this may take; what is on the worker then stays there
   * @return completes, on a lane, once the worker has no stream of this migrator or time is up
   * @throws IllegalArgumentException if {@code within} is negative or longer than a century
   */
  CompletionStage<DrainResult> drain(long workerId, Duration within);

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
