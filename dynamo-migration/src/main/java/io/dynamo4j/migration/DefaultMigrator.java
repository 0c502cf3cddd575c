// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What all requests of one migrator share, and which of them are open. */
final class DefaultMigrator<Q, R> implements Migrator<Q, R> {
  final ReplayAdapter<Q, R> adapter;
  final RequestDispatcher<Q, R> dispatcher;
  final MigrationPolicy policy;
  final Environment environment;
  final HealthReporter health;
  final EventSink events;
  final Resumption resumption;
  final ReplacementWatch replacements;
  final StatsRecorder recorder = new StatsRecorder();

  private final MigrationOptions options;
  private final RandomSource chance;
  private final ConcurrentSkipListMap<WorkerWithDpRank, Drain> drains =
      new ConcurrentSkipListMap<>();
  private final @Nullable RealEnvironment ownEnvironment;
  private final ConcurrentSkipListSet<RetryManager<Q, R>> open = new ConcurrentSkipListSet<>();
  private final AtomicLong nextSequence = new AtomicLong();
  private volatile boolean closed;

  private DefaultMigrator(
      TypedMigratorBuilder<Q, R> builder,
      RequestDispatcher<Q, R> dispatcher,
      Environment environment,
      @Nullable RealEnvironment ownEnvironment) {
    this.adapter = builder.adapter;
    this.policy = builder.policy;
    this.options = builder.options;
    this.events = EventSink.to(builder.listener);
    this.health = new HealthReporter(builder.health);
    this.dispatcher = dispatcher;
    this.environment = environment;
    this.ownEnvironment = ownEnvironment;
    this.chance = environment.random().split("migration");
    this.resumption = new Resumption(builder.directory);
    this.replacements = ReplacementWatch.of(builder.directory, environment);
  }

  static <Q, R> DefaultMigrator<Q, R> of(TypedMigratorBuilder<Q, R> builder) {
    RequestDispatcher<Q, R> dispatcher = builder.dispatcher;
    if (dispatcher == null) {
      throw new IllegalStateException("migrator needs a dispatcher");
    }
    Environment environment = builder.environment;
    if (environment != null) {
      return new DefaultMigrator<>(builder, dispatcher, environment, null);
    }
    RealEnvironment own = RealEnvironment.create();
    return new DefaultMigrator<>(builder, dispatcher, own.environment(), own);
  }

  @Override
  public ResponseStream<R> migrate(Q request, MigrationOptions requestOptions) {
    return new MigratingStream<>(
        this,
        Objects.requireNonNull(request, "request"),
        Objects.requireNonNull(requestOptions, "options"));
  }

  @Override
  public CompletionStage<DrainResult> drain(long workerId, Duration within) {
    long withinNanos = Durations.nonNegativeNanos("within", within);
    health.drained(workerId);
    WorkerWithDpRank key = WorkerWithDpRank.of(workerId);
    Drain drain = new Drain(workerId, environment.lanes().lane("drain"), () -> drains.remove(key));
    Drain running = drains.putIfAbsent(key, drain);
    if (running != null) {
      return running.result();
    }
    drain.start(this::openStreams, withinNanos);
    if (closed) {
      drain.close();
    }
    return drain.result();
  }

  private List<DrainTicket> openStreams() {
    return open.stream().map(RetryManager::drainTicket).toList();
  }

  /** Returns the chance of one request. */
  RandomSource chanceOf(long request) {
    return chance.split("request-" + request);
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
    drains.values().forEach(Drain::close);
    replacements.close();
    if (ownEnvironment != null) {
      ownEnvironment.close();
    }
  }

  boolean isClosed() {
    return closed;
  }

  long nextSequence() {
    return nextSequence.getAndIncrement();
  }

  /**
   * Returns how many tokens all open requests hold, by a count that other lanes may be changing.
   */
  long heldTokens() {
    return open.stream().mapToLong(RetryManager::heldTokens).sum();
  }

  /** Returns how many requests have begun and not ended. */
  int openRequests() {
    return open.size();
  }

  void opened(RetryManager<Q, R> request) {
    open.add(request);
  }

  void ended(RetryManager<Q, R> request) {
    open.remove(request);
  }
}
