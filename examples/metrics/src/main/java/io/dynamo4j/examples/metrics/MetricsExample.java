// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.metrics;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.examples.metrics.MortalWorkers.Death;
import io.dynamo4j.kvrouter.BusyThresholdHandler;
import io.dynamo4j.micrometer.MigrationMetrics;
import io.dynamo4j.migration.MigrationOptions;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Serves requests on workers that die now and then, and the counts of it to Prometheus.
 *
 * <p>A flag wins over Dynamo's environment variable, that over the default. Exit code 2, with one
 * line on standard error, for what cannot be used.
 */
@Command(
    name = "examples/metrics/run",
    sortOptions = false,
    description =
        "Serves the metrics of migrator, router and index as Prometheus text on"
            + " http://localhost:PORT/metrics.")
public final class MetricsExample implements Callable<Integer> {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli sets it
  private boolean help;

  private static final int EXIT_INPUT = 2;
  private static final int MAX_PORT = 65_535;
  private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(200);

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      description = "port on the loopback address, 0 for any (DYN_HTTP_PORT, default 8000)")
  private @Nullable Integer httpPort;

  @Option(
      names = "--migration-limit",
      paramLabel = "N",
      description = "attempts after a request's first (DYN_MIGRATION_LIMIT, default here 3)")
  private @Nullable Long migrationLimit;

  @Option(
      names = "--migration-max-seq-len",
      paramLabel = "TOKENS",
      description =
          "longest sequence that is still continued (DYN_MIGRATION_MAX_SEQ_LEN, default unlimited)")
  private @Nullable Long migrationMaxSeqLen;

  @Option(
      names = "--metrics-prefix",
      paramLabel = "NAME",
      description = "beginning of Dynamo's names (DYN_METRICS_PREFIX, default dynamo_frontend)")
  private @Nullable String metricsPrefix;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      defaultValue = "Qwen/Qwen3-0.6B",
      description = "model that the requests name (default ${DEFAULT-VALUE})")
  private String model = "";

  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "end after so many requests (default: go on until stopped)")
  private @Nullable Integer requests;

  private final Map<String, String> environment;
  private final PrintStream out;

  MetricsExample(Map<String, String> environment, PrintStream out) {
    this.environment = environment;
    this.out = out;
  }

  public static void main(String[] args) {
    System.exit(run(System.getenv(), System.out, System.err, args));
  }

  /** Runs the program and returns its exit code. */
  static int run(
      Map<String, String> environment, PrintStream out, PrintStream err, String... args) {
    return new CommandLine(new MetricsExample(environment, out))
        .setParameterExceptionHandler((failure, unmatched) -> refuse(err, failure))
        .setExecutionExceptionHandler((failure, line, result) -> refuse(err, failure))
        .execute(args);
  }

  private static int refuse(PrintStream err, Exception failure) {
    String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    err.println("examples/metrics: " + reason.lines().findFirst().orElse("bad input"));
    return EXIT_INPUT;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    int port = port();
    MigrationOptions options = options();
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MigrationMetrics metrics = MigrationMetrics.builder(registry).prefix(prefix()).build();
    try (MetricsServer server = start(port, registry);
        Gateway gateway = new Gateway(options, metrics, registry, model)) {
      BusyThresholdHandler thresholds = BusyThresholdHandler.create();
      thresholds.register(model, gateway.loadMonitor());
      server.mount(thresholds);
      out.println("http://localhost:" + server.port() + "/metrics");
      serve(gateway);
    }
    return 0;
  }

  /** One request in four loses its worker, in turn before and after the first token. */
  private void serve(Gateway gateway) throws InterruptedException {
    for (int i = 1; requests == null || i <= requests; i++) {
      if (i % 4 == 0) {
        gateway.workers().nextDies(i % 8 == 0 ? Death.BEFORE_OPENING : Death.AFTER_TWO_TOKENS);
      }
      try {
        gateway.ask(model, 16);
      } catch (DynamoException failure) {
        out.println("request failed: type=" + failure.errorType());
      }
      Thread.sleep(BETWEEN_REQUESTS.toMillis());
    }
  }

  private static MetricsServer start(int port, PrometheusMeterRegistry registry)
      throws IOException {
    try {
      return MetricsServer.start(port, registry);
    } catch (IOException taken) {
      throw new IOException("port cannot be used: port=" + port + ", " + taken.getMessage(), taken);
    }
  }

  /** Returns the port to listen on. */
  int port() {
    long port = httpPort != null ? httpPort : number("DYN_HTTP_PORT", 8000);
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("port must be in 0..65535: port=" + port);
    }
    return (int) port;
  }

  private MigrationOptions options() {
    MigrationOptions.Builder options = MigrationOptions.builder();
    options.limit(migrationLimit != null ? migrationLimit : number("DYN_MIGRATION_LIMIT", 3));
    long maxSeqLen =
        migrationMaxSeqLen != null
            ? migrationMaxSeqLen
            : number("DYN_MIGRATION_MAX_SEQ_LEN", MigrationOptions.UNLIMITED);
    return maxSeqLen == MigrationOptions.UNLIMITED
        ? options.build()
        : options.maxSeqLen(maxSeqLen).build();
  }

  private String prefix() {
    return metricsPrefix != null
        ? metricsPrefix
        : environment.getOrDefault("DYN_METRICS_PREFIX", "dynamo_frontend");
  }

  private long number(String variable, long absent) {
    String text = environment.get(variable);
    if (text == null || text.isBlank()) {
      return absent;
    }
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException failure) {
      throw new IllegalArgumentException(
          variable + " must be a whole number: " + variable + "=" + text, failure);
    }
  }
}
