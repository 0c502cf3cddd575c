// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorBuilder;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

class MigrationMetricsTest {
  private static final String MODEL = "Qwen/Qwen3-0.6B";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MigrationMetrics metrics = MigrationMetrics.of(registry);
  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final ScriptedDispatcher workers = ScriptedDispatcher.create();

  private Migrator<PreprocessedRequest, LLMEngineOutput> migrator(
      MigratorBuilder builder, MigrationMetrics listener) {
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        builder
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(workers)
            .environment(simulation.environment("gateway"))
            .listener(listener)
            .build();
    listener.observe(migrator);
    return migrator;
  }

  private void serve(Migrator<PreprocessedRequest, LLMEngineOutput> migrator, String model) {
    PreprocessedRequest request =
        PreprocessedRequest.builder("r1", TokenSlice.of(1, 2, 3))
            .model(model)
            .stopConditions(StopConditions.builder().maxTokens(8).build())
            .build();
    simulation.controller().execute(() -> migrator.migrate(request).subscribe(new Everything()));
    simulation.run();
  }

  private List<String> scraped() {
    return registry.scrape().lines().filter(line -> !line.startsWith("#")).toList();
  }

  private String sample(String series) {
    return scraped().stream()
        .filter(line -> line.startsWith(series + " "))
        .map(line -> line.substring(series.length() + 1))
        .findFirst()
        .orElse("absent");
  }

  @Test
  void shouldCountMigrationsByDynamosNamesAndLabels() {
    workers
        .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
        .worker(2, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
        .worker(3, WorkerScript.open().tokens(2).fail(ErrorType.ENGINE_SHUTDOWN))
        .worker(4, WorkerScript.open().pauseNanos(70_000_000).answer());
    serve(migrator(Migrator.builder().limit(3), metrics), MODEL);

    String model = "model=\"" + MODEL + "\"";
    String total = "dynamo_frontend_model_migration_total";
    assertThat(sample(total + "{migration_type=\"new_request\"," + model + "}")).isEqualTo("1.0");
    assertThat(sample(total + "{migration_type=\"ongoing_request\"," + model + "}"))
        .isEqualTo("2.0");
    assertThat(sample("dynamo_frontend_model_migration_limit{" + model + "}")).isEqualTo("3.0");
  }

  @Test
  void shouldMeasureRecoveryInDynamosBuckets() {
    workers
        .worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.start().pauseNanos(70_000_000).opening().answer());
    serve(migrator(Migrator.builder().limit(1), metrics), "m");

    String name = "dynamo_frontend_model_migration_duration_seconds";
    String labels = "{migration_type=\"ongoing_request\",model=\"m\",outcome=\"success\"";
    assertThat(
            scraped().stream()
                .filter(line -> line.startsWith(name + "_bucket" + labels))
                .map(line -> line.replaceAll(".*le=\"([^\"]*)\"} (.*)", "$1 $2")))
        .containsExactly(
            "0.01 0", "0.025 0", "0.05 0", "0.1 1", "0.25 1", "0.5 1", "1.0 1", "2.5 1", "5.0 1",
            "10.0 1", "20.0 1", "40.0 1", "60.0 1", "+Inf 1");
    assertThat(sample(name + "_count" + labels + "}")).isEqualTo("1");
    assertThat(sample(name + "_sum" + labels + "}")).isEqualTo("0.07");
    assertThat(
            sample(
                "dynamo4j_migration_gap_seconds_sum{migration_type=\"ongoing_request\",model=\"m\"}"))
        .isEqualTo("0.07");
  }

  @Test
  void shouldTellHowEverySearchEnded() {
    workers.worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED));
    serve(migrator(Migrator.builder().limit(1), metrics), "m");

    assertThat(
            sample(
                "dynamo_frontend_model_migration_duration_seconds_count"
                    + "{migration_type=\"ongoing_request\",model=\"m\",outcome=\"failure\"}"))
        .isEqualTo("1");
  }

  @Test
  void shouldCountRequestsThatRanOutOfAttempts() {
    workers.worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED));
    serve(migrator(Migrator.builder(), metrics), "m");

    assertThat(sample("dynamo4j_migration_exhausted_total{model=\"m\"}")).isEqualTo("1.0");
  }

  @Test
  void shouldCountEveryRequestThatOutgrewTheCapOnce() {
    workers.worker(1, WorkerScript.open().answer());
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        migrator(Migrator.builder().limit(1).maxSeqLen(5), metrics);
    serve(migrator, "m");
    serve(migrator, "m");

    assertThat(sample("dynamo_frontend_model_migration_max_seq_len_exceeded_total{model=\"m\"}"))
        .isEqualTo("2.0");
  }

  @Test
  void shouldCountStallsByWhatDidNotCome() {
    workers
        .worker(1, WorkerScript.start())
        .worker(2, WorkerScript.open().tokens(2))
        .worker(3, WorkerScript.open().answer());
    serve(migrator(Migrator.builder().limit(2).stallTimeout(Duration.ofSeconds(1)), metrics), "m");

    String stalls = "dynamo4j_migration_stalls_total";
    assertThat(sample(stalls + "{model=\"m\",waited_for=\"connect\"}")).isEqualTo("1.0");
    assertThat(sample(stalls + "{model=\"m\",waited_for=\"next_token\"}")).isEqualTo("1.0");
  }

  @Test
  void shouldCountWhatOnlyEventsTell() {
    WorkerWithDpRank from = WorkerWithDpRank.of(1);
    WorkerWithDpRank to = WorkerWithDpRank.of(2);
    DynamoException cause = new DynamoException(ErrorType.DISCONNECTED, "planted");
    metrics.onEvent(new MigrationEvent.Drained("r", "m", 1, from, to, 5, 3_000_000));
    metrics.onEvent(new MigrationEvent.HedgeDecided("r", "m", 1, to, 0, from, 0, 1));
    metrics.onEvent(new MigrationEvent.HedgeDecided("r", "m", 0, from, 1, to, 0, 1));
    metrics.onEvent(new MigrationEvent.Delayed("r", "m", cause, true, 0, 1));
    metrics.onEvent(new MigrationEvent.Delayed("r", "m", cause, false, 0, 1));

    assertThat(scraped())
        .contains(
            "dynamo4j_migration_drain_seconds_count{model=\"m\"} 1",
            "dynamo4j_migration_drain_seconds_sum{model=\"m\"} 0.003",
            "dynamo4j_migration_hedges_total{model=\"m\",outcome=\"won\"} 1.0",
            "dynamo4j_migration_hedges_total{model=\"m\",outcome=\"lost\"} 1.0",
            "dynamo4j_migration_delays_total{model=\"m\",reason=\"no_worker\"} 1.0",
            "dynamo4j_migration_delays_total{model=\"m\",reason=\"back_off\"} 1.0");
  }

  @Test
  void shouldCountFramesThatWereFencedOff() {
    workers
        .worker(
            1,
            WorkerScript.open()
                .tokens(2)
                .pauseNanos(Duration.ofMillis(1_500).toNanos())
                .tokens(2)
                .ignoringCancel())
        .worker(2, WorkerScript.open().answer());
    serve(migrator(Migrator.builder().limit(1).stallTimeout(Duration.ofSeconds(1)), metrics), "m");

    assertThat(sample("dynamo4j_migration_fenced_frames_total")).isEqualTo("2.0");
  }

  @Test
  void shouldShowNoSeriesBeforeItsFirstCount() {
    workers.worker(1, WorkerScript.open().answer());
    serve(migrator(Migrator.builder().limit(1), metrics), "m");

    assertThat(scraped())
        .containsExactlyInAnyOrder(
            "dynamo4j_migration_fenced_frames_total 0.0",
            "dynamo_frontend_model_migration_limit{model=\"m\"} 1.0");
  }

  @Test
  void shouldBoundTheNumberOfModels() {
    workers.worker(1, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED));
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        migrator(Migrator.builder().limit(0), metrics);
    int models = 10 * MigrationMetrics.MAX_MODELS;
    for (int i = 0; i < models; i++) {
      serve(migrator, "model-" + i);
    }

    assertThat(
            scraped().stream()
                .filter(line -> line.startsWith("dynamo_frontend_model_migration_total")))
        .hasSize(MigrationMetrics.MAX_MODELS + 1);
    assertThat(
            sample(
                "dynamo_frontend_model_migration_total"
                    + "{migration_type=\"ongoing_request\",model=\"other\"}"))
        .isEqualTo((models - MigrationMetrics.MAX_MODELS) + ".0");
  }

  @Test
  void shouldTakeAnotherPrefixAndTags() {
    workers.worker(1, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED));
    MigrationMetrics named =
        MigrationMetrics.builder(registry).prefix("mine").tag("pool", "a").build();
    serve(migrator(Migrator.builder().limit(0), named), "m");

    assertThat(
            sample(
                "mine_model_migration_total"
                    + "{migration_type=\"ongoing_request\",model=\"m\",pool=\"a\"}"))
        .isEqualTo("1.0");
  }

  @Test
  void shouldObserveOneMigratorOnly() {
    migrator(Migrator.builder(), metrics);

    assertThatThrownBy(() -> migrator(Migrator.builder(), metrics))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldLeaveRegistryOpenWhenMigratorCloses() {
    migrator(Migrator.builder(), metrics).close();

    assertThat(registry.isClosed()).isFalse();
    assertThat(registry.getMeters().stream().map(Meter::getId)).isNotEmpty();
  }

  /** Takes all there is. */
  private static final class Everything implements Flow.Subscriber<LLMEngineOutput> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      Objects.requireNonNull(item);
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }
}
