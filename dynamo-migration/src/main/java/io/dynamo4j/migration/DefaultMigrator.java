// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/** What all requests of one migrator share, and which of them are open. */
final class DefaultMigrator<Q, R> implements Migrator<Q, R> {
  final ReplayAdapter<Q, R> adapter;
  final RequestDispatcher<Q, R> dispatcher;
  final MigrationPolicy policy;
  final Environment environment;
  final EventSink events;
  final StatsRecorder recorder = new StatsRecorder();

  private final MigrationOptions options;
  private final ConcurrentSkipListSet<RetryManager<Q, R>> open = new ConcurrentSkipListSet<>();
  private final AtomicLong nextSequence = new AtomicLong();
  private volatile boolean closed;

  private DefaultMigrator(
      TypedMigratorBuilder<Q, R> builder,
      RequestDispatcher<Q, R> dispatcher,
      Environment environment) {
    this.adapter = builder.adapter;
    this.policy = builder.policy;
    this.options = builder.options;
    this.events = EventSink.to(builder.listener);
    this.dispatcher = dispatcher;
    this.environment = environment;
  }

  static <Q, R> DefaultMigrator<Q, R> of(TypedMigratorBuilder<Q, R> builder) {
    RequestDispatcher<Q, R> dispatcher = builder.dispatcher;
    Environment environment = builder.environment;
    if (dispatcher == null || environment == null) {
      throw new IllegalStateException(
          "migrator needs a dispatcher and an environment: dispatcher="
              + dispatcher
              + ", environment="
              + environment);
    }
    return new DefaultMigrator<>(builder, dispatcher, environment);
  }

  @Override
  public ResponseStream<R> migrate(Q request, MigrationOptions requestOptions) {
    return new MigratingStream<>(
        this,
        Objects.requireNonNull(request, "request"),
        Objects.requireNonNull(requestOptions, "options"));
  }

  @Override
  public MigrationOptions options() {
    return options;
  }

  @Override
  public MigratorStats stats() {
    return recorder.snapshot();
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(RetryManager::close);
  }

  boolean isClosed() {
    return closed;
  }

  long nextSequence() {
    return nextSequence.getAndIncrement();
  }

  void opened(RetryManager<Q, R> request) {
    open.add(request);
  }

  void ended(RetryManager<Q, R> request) {
    open.remove(request);
  }
}
