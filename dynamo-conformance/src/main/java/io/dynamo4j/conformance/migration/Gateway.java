// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.kvrouter.KvDispatcher;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.PoolDispatcher;
import io.dynamo4j.kvrouter.PoolPolicy;
import io.dynamo4j.kvrouter.SessionAffinity;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorStats;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.migration.text.TextOptions;
import io.dynamo4j.migration.text.TextStream;
import io.dynamo4j.migration.text.WindowDetokenizer;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.Map;
import java.util.TreeMap;

/** The library put together as the case's gateway was: text over migration over routing. */
final class Gateway {
  private final Fleet fleet;
  private final CaseSetup setup;
  private final boolean atRandom;
  private final Environment environment;
  private final WorkerHealth health;
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
  private final TextStream.Builder<LLMEngineOutput> texts;

  /**
   * Builds a gateway.
   *
   * @param atRandom whether chance chooses workers where the recorded peer went round
   */
  Gateway(Fleet fleet, boolean atRandom) {
    this.fleet = fleet;
    this.setup = fleet.recorded.setup();
    this.atRandom = atRandom;
    this.environment = fleet.simulation.environment("gateway");
    this.health =
        WorkerHealth.builder(environment.lanes().lane("health").clock())
            .inhibitionNanos(setup.inhibitionNanos())
            .build();
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> answers = dispatcher(false);
    this.migrator =
        Migrator.builder()
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(
                fleet.recorded.isDisaggregated()
                    ? new DisaggregatedDispatcher(dispatcher(true), answers)
                    : setup.hasAffinity() ? sessions(answers) : answers)
            .environment(environment)
            .health(health)
            .build();
    this.texts = TextStream.overTokens(WindowDetokenizer.factory(Tokenizer::decode), environment);
  }

  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(boolean prefill) {
    InMemoryWorkerDirectory directory = fleet.directory(prefill);
    if (setup.mode() != CaseSetup.Mode.KV) {
      return PoolDispatcher.builder()
          .policy(policy())
          .directory(directory)
          .health(health)
          .requestPlane(fleet)
          .environment(environment)
          .build();
    }
    KvRouter router =
        KvRouter.builder()
            .environment(environment)
            .directory(directory)
            .health(health)
            .config(
                KvRouterConfig.builder()
                    .overlapScoreCredit(0)
                    .hostCacheHitWeight(0)
                    .diskCacheHitWeight(0)
                    .build())
            .blockSize(setup.blockSize())
            .build();
    return KvDispatcher.builder().router(router).requestPlane(fleet).build();
  }

  private PoolPolicy policy() {
    return switch (setup.mode()) {
      case ROUND_ROBIN -> atRandom ? PoolPolicy.RANDOM : PoolPolicy.ROUND_ROBIN;
      case LEAST_LOADED -> PoolPolicy.LEAST_LOADED;
      default -> PoolPolicy.RANDOM;
    };
  }

  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> sessions(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> answers) {
    return SessionAffinity.over(answers)
        .clock(environment.lanes().lane("sessions").clock())
        .build();
  }

  TextStream<LLMEngineOutput> answer(PreprocessedRequest request, TextOptions options) {
    return texts.over(migrator.migrate(request, setup.options()), options);
  }

  Map<String, Long> counters() {
    MigratorStats stats = migrator.stats();
    Map<String, Long> counters = new TreeMap<>();
    for (MigrationPhase phase : MigrationPhase.values()) {
      count(counters, phase.label(), stats.migrations(phase));
      for (RecoveryOutcome outcome : RecoveryOutcome.values()) {
        count(counters, phase.label() + "/" + outcome.label(), stats.recoveries(phase, outcome));
      }
    }
    count(counters, "exceeded", stats.maxSeqLenExceeded());
    return counters;
  }

  /** Returns how many requests the migrator has ended, in whatever way. */
  long ended() {
    MigratorStats stats = migrator.stats();
    long ended = 0;
    for (MigrationEvent.Outcome outcome : MigrationEvent.Outcome.values()) {
      ended += stats.requests(outcome);
    }
    return ended;
  }

  static void count(Map<String, Long> counters, String name, long count) {
    if (count > 0) {
      counters.merge(name, count, Long::sum);
    }
  }
}
