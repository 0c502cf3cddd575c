// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.ResponseStream;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/** The cold side of one request: becomes a {@link RetryManager} once somebody subscribes. */
final class MigratingStream<Q, R> implements ResponseStream<R> {
  private final DefaultMigrator<Q, R> migrator;
  private final Q request;
  private final MigrationOptions options;
  private final AtomicBoolean subscribed = new AtomicBoolean();

  MigratingStream(DefaultMigrator<Q, R> migrator, Q request, MigrationOptions options) {
    this.migrator = migrator;
    this.request = request;
    this.options = options;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super R> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    Scheduler lane = migrator.environment.lanes().lane("migrate");
    ClientPort<R> client = new ClientPort<>(lane, subscriber);
    lane.execute(first(lane, client));
  }

  /** Returns what the subscription begins with. */
  private Runnable first(Scheduler lane, ClientPort<R> client) {
    if (!subscribed.compareAndSet(false, true)) {
      return () -> client.reject(new IllegalStateException("stream takes one subscriber"));
    }
    RequestProfile profile;
    try {
      profile = Objects.requireNonNull(migrator.adapter.profile(request), "profile");
    } catch (Throwable failure) {
      return () -> client.reject(MigrationException.ofAdapter(failure));
    }
    return new RetryManager<>(migrator, request, profile, options, lane, client)::start;
  }
}
