// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
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
    if (!subscribed.compareAndSet(false, true)) {
      lane.execute(() -> client.reject(new IllegalStateException("stream has a subscriber")));
      return;
    }
    RequestProfile profile;
    try {
      profile = migrator.adapter.profile(request);
    } catch (RuntimeException failure) {
      lane.execute(() -> client.reject(adapterFailed(failure)));
      return;
    }
    RetryManager<Q, R> manager =
        new RetryManager<>(migrator, request, profile, options, lane, client);
    migrator.opened(manager);
    lane.execute(manager::start);
  }

  private static MigrationException adapterFailed(RuntimeException failure) {
    return new MigrationException(
        ErrorType.INTERNAL,
        "adapter cannot describe the request: class=" + failure.getClass().getName(),
        null,
        DynamoException.NO_ATTEMPT,
        failure,
        0,
        0);
  }
}
