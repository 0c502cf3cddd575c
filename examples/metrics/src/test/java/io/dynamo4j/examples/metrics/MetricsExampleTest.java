// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.examples.metrics.MortalWorkers.Death;
import io.dynamo4j.kvrouter.BusyThresholdHandler;
import io.dynamo4j.kvrouter.RankLoadReport;
import io.dynamo4j.micrometer.MigrationMetrics;
import io.dynamo4j.migration.MigrationOptions;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class MetricsExampleTest {
  private static final String MODEL = "Qwen/Qwen3-0.6B";
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private static HttpResponse<String> get(int port, String path)
      throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shouldServeExactlyTheMigrationsAndCapExcessesThatHappened() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MigrationMetrics metrics = MigrationMetrics.of(registry);
    MigrationOptions options = MigrationOptions.builder().limit(3).maxSeqLen(16).build();
    String text;
    try (MetricsServer server = MetricsServer.start(0, registry);
        Gateway gateway = new Gateway(options, metrics, registry, MODEL)) {
      gateway.workers().nextDies(Death.AFTER_TWO_TOKENS);
      assertThat(gateway.ask(MODEL, 8)).isEqualTo(answer(8));
      gateway.workers().nextDies(Death.BEFORE_OPENING);
      gateway.workers().nextDies(Death.AFTER_TWO_TOKENS);
      gateway.workers().nextDies(Death.AFTER_TWO_TOKENS);
      assertThat(gateway.ask(MODEL, 8)).isEqualTo(answer(8));
      assertThat(gateway.ask(MODEL, 40)).isEqualTo(answer(40));
      assertThat(gateway.ask(MODEL, 13)).isEqualTo(answer(13));
      HttpResponse<String> response = get(server.port(), "/metrics");
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type"))
          .hasValue("text/plain; version=0.0.4; charset=utf-8");
      text = response.body();
    }

    assertThat(text.lines().filter(line -> line.startsWith("dynamo_frontend_model_migration_")))
        .contains(
            "dynamo_frontend_model_migration_total"
                + "{migration_type=\"ongoing_request\",model=\"Qwen/Qwen3-0.6B\"} 3.0",
            "dynamo_frontend_model_migration_total"
                + "{migration_type=\"new_request\",model=\"Qwen/Qwen3-0.6B\"} 1.0",
            "dynamo_frontend_model_migration_max_seq_len_exceeded_total"
                + "{model=\"Qwen/Qwen3-0.6B\"} 2.0",
            "dynamo_frontend_model_migration_limit{model=\"Qwen/Qwen3-0.6B\"} 3.0");
    // Four requests and four continuations, each booked once, none left.
    String router = "{router_id=\"0\"}";
    assertThat(text.lines())
        .contains(
            "dynamo_component_router_requests_started_total" + router + " 8.0",
            "dynamo_component_router_requests_total" + router + " 8.0",
            "dynamo_component_router_input_sequence_tokens_count" + router + " 8",
            "dynamo4j_router_bookings" + router + " 0.0",
            "dynamo4j_router_health" + router + " 1.0",
            "dynamo4j_router_health_findings{kind=\"approximate\",router_id=\"0\"} 1.0",
            "dynamo4j_router_health_findings{kind=\"everybody_busy\",router_id=\"0\"} 0.0",
            "dynamo4j_indexer_stale_ranks 0.0");
    assertThat(text)
        .contains("dynamo_frontend_worker_active_decode_blocks{dp_rank=\"0\",worker_id=\"5\"")
        .contains("# TYPE dynamo_frontend_model_migration_total counter")
        .contains("# TYPE dynamo_frontend_model_migration_duration_seconds histogram")
        .contains("# TYPE dynamo_frontend_model_migration_max_seq_len_exceeded_total counter")
        .contains("# TYPE dynamo_frontend_model_migration_limit gauge");
  }

  private static List<Integer> answer(int tokens) {
    return IntStream.range(4, 4 + tokens).boxed().toList();
  }

  @Test
  void shouldLetOperatorsStopAndReleaseAModel() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MigrationMetrics metrics = MigrationMetrics.of(registry);
    MigrationOptions options = MigrationOptions.builder().limit(0).build();
    BusyThresholdHandler handler = BusyThresholdHandler.create();
    try (MetricsServer server = MetricsServer.start(0, registry);
        Gateway gateway = new Gateway(options, metrics, registry, MODEL)) {
      handler.register(MODEL, gateway.loadMonitor());
      server.mount(handler);
      for (long id = 1; id <= 5; id++) {
        gateway.loadMonitor().report(WorkerWithDpRank.of(id), new RankLoadReport(1, 0, 0));
      }
      assertThat(post(server.port(), "0")).isEqualTo(200);
      assertThatThrownBy(() -> gateway.ask(MODEL, 4)).isInstanceOf(DynamoException.class);
      assertThat(post(server.port(), "null")).isEqualTo(200);
      assertThat(gateway.ask(MODEL, 4)).isEqualTo(answer(4));
      assertThat(get(server.port(), "/busy_threshold").body()).startsWith("{\"thresholds\":[{");
    }
  }

  private static int post(int port, String prefillTokens) throws Exception {
    String json =
        "{\"model\":\"" + MODEL + "\",\"active_prefill_tokens_threshold\":" + prefillTokens + "}";
    return HTTP.send(
            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/busy_threshold"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void shouldServeMetricsAndNothingElse() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (MetricsServer server = MetricsServer.start(0, registry)) {
      assertThat(get(server.port(), "/").statusCode()).isEqualTo(404);
      assertThat(get(server.port(), "/metrics/more").statusCode()).isEqualTo(404);
      assertThat(
              HTTP.send(
                      HttpRequest.newBuilder(
                              URI.create("http://localhost:" + server.port() + "/metrics"))
                          .POST(HttpRequest.BodyPublishers.noBody())
                          .build(),
                      HttpResponse.BodyHandlers.discarding())
                  .statusCode())
          .isEqualTo(405);
    }
  }

  @Test
  void shouldRunAsProgram() {
    assertThat(run(Map.of(), "--http-port", "0", "--requests", "4")).isZero();

    assertThat(out.toString(UTF_8)).matches("http://localhost:[0-9]+/metrics\\R");
    assertThat(err.toString(UTF_8)).isEmpty();
  }

  @Test
  void shouldRefusePortThatIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());

      assertThat(run(Map.of(), "--http-port", port)).isEqualTo(2);
      assertThat(err.toString(UTF_8).lines()).singleElement().asString().contains("port=" + port);
    }
  }

  @Test
  void shouldListenOnPort8000UnlessToldOtherwise() {
    PrintStream unused = new PrintStream(out, true, UTF_8);

    assertThat(new MetricsExample(Map.of(), unused).port()).isEqualTo(8000);
    assertThat(new MetricsExample(Map.of("DYN_HTTP_PORT", "8123"), unused).port()).isEqualTo(8123);
  }

  @ParameterizedTest
  @CsvSource({
    "--http-port, 70000",
    "--http-port, -1",
    "--http-port, http",
    "--migration-limit, -1",
    "--migration-limit, 4294967296",
    "--migration-max-seq-len, 0",
    "--metrics-prefix, ' '",
    "--unknown, 1"
  })
  void shouldRefuseFlagInOneLine(String flag, String value) {
    assertThat(run(Map.of(), flag, value)).isEqualTo(2);
    assertThat(err.toString(UTF_8).lines())
        .singleElement()
        .asString()
        .startsWith("examples/metrics: ");
  }

  @ParameterizedTest
  @CsvSource({
    "DYN_HTTP_PORT, 70000",
    "DYN_HTTP_PORT, http",
    "DYN_MIGRATION_LIMIT, -1",
    "DYN_MIGRATION_MAX_SEQ_LEN, 0"
  })
  void shouldRefuseEnvironmentInOneLine(String variable, String value) {
    assertThat(run(Map.of(variable, value), "--requests", "0")).isEqualTo(2);
    assertThat(err.toString(UTF_8).lines()).singleElement().asString().contains("=" + value);
  }

  @Test
  void shouldPreferFlagToEnvironment() {
    assertThat(run(Map.of("DYN_HTTP_PORT", "70000"), "--http-port", "0", "--requests", "0"))
        .isZero();
  }

  private int run(Map<String, String> environment, String... args) {
    return MetricsExample.run(
        environment, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), args);
  }
}
