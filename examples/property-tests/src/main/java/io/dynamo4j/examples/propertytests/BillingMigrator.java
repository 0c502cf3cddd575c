// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.migration.DrainResult;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorStats;
import io.dynamo4j.plane.ResponseStream;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the tokens that clients get, to bill them: those of a migrated answer once. */
public final class BillingMigrator implements Migrator<PreprocessedRequest, LLMEngineOutput> {
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
  private final AtomicLong billedTokens = new AtomicLong();

  private BillingMigrator(Migrator<PreprocessedRequest, LLMEngineOutput> migrator) {
    this.migrator = migrator;
  }

  /** Bills what a migrator delivers; closed together with it. */
  public static BillingMigrator around(Migrator<PreprocessedRequest, LLMEngineOutput> migrator) {
    return new BillingMigrator(Objects.requireNonNull(migrator, "migrator"));
  }

  /** Returns the tokens delivered so far. */
  public long billedTokens() {
    return billedTokens.get();
  }

  @Override
  public ResponseStream<LLMEngineOutput> migrate(
      PreprocessedRequest request, MigrationOptions options) {
    ResponseStream<LLMEngineOutput> answer = migrator.migrate(request, options);
    return client -> answer.subscribe(new Billed(client));
  }

  @Override
  public CompletionStage<DrainResult> drain(long workerId, Duration within) {
    return migrator.drain(workerId, within);
  }

  @Override
  public MigrationOptions options() {
    return migrator.options();
  }

  @Override
  public MigratorStats stats() {
    return migrator.stats();
  }

  @Override
  public void close() {
    migrator.close();
  }

  private final class Billed implements Flow.Subscriber<LLMEngineOutput> {
    private final Flow.Subscriber<? super LLMEngineOutput> client;

    Billed(Flow.Subscriber<? super LLMEngineOutput> client) {
      this.client = client;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      client.onSubscribe(subscription);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      billedTokens.addAndGet(item.tokenIds().length());
      client.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {
      client.onError(failure);
    }

    @Override
    public void onComplete() {
      client.onComplete();
    }
  }
}
