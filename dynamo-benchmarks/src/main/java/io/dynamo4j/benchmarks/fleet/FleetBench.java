// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.fleet;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.SharedFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The whole library with mock engines, every token made, hashed, delivered and checked, against the
 * reference simulation, which only counts: same trace, same policy, each a process of its own.
 */
public final class FleetBench implements Bench {
  private static final int WORKERS = 8;
  private static final int QUICK_ROWS = 200;
  private static final int ROUNDS = 4;
  private static final long TIMEOUT_MINUTES = 3;

  @Override
  public String name() {
    return "fleet";
  }

  @Override
  public String description() {
    return "one trace through the whole library against the reference simulation (python3)";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    Path trace = SharedFolder.path("data/traces/conversation_trace.jsonl");
    Path reference = SharedFolder.path("tools/replay-reference/reference_sim.py");
    if (!Files.exists(trace) || !Files.exists(reference)) {
      SharedFolder.requireUnlessOptional(reference);
      return new BenchResult(
          List.of(), List.of(new BenchResult.Fact("fleet reference absent", 1, "count")));
    }
    List<BenchResult.Row> rows = new ArrayList<>();
    try {
      Path served = options.quick() ? firstRows(trace) : trace;
      rows.add(compare("round-robin", "rr", served, reference, options));
      if (!options.quick()) {
        rows.add(compare("kv", "kv", served, reference, options));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
    return new BenchResult(rows, List.of());
  }

  private static Path firstRows(Path trace) throws IOException {
    Path few = Files.createTempFile("dynamo4j-trace", ".jsonl");
    few.toFile().deleteOnExit();
    try (var lines = Files.lines(trace)) {
      Files.write(few, lines.limit(QUICK_ROWS).toList());
    }
    return few;
  }

  /** Alternates A B B A, so that a machine that drifts favours neither. */
  private static BenchResult.Row compare(
      String policy, String referenceMode, Path trace, Path reference, BenchOptions options)
      throws IOException, InterruptedException {
    List<String> ours = ourCommand(policy, trace);
    List<String> theirs =
        List.of(
            "python3",
            reference.toString(),
            trace.toString(),
            Integer.toString(WORKERS),
            referenceMode,
            "2048");
    int rounds = options.quick() ? 1 : ROUNDS;
    double[] ourSeconds = new double[rounds];
    double[] theirSeconds = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      boolean oursFirst = round % 2 == 0;
      Timed first = time(oursFirst ? ours : theirs);
      Timed second = time(oursFirst ? theirs : ours);
      Timed our = oursFirst ? first : second;
      Timed their = oursFirst ? second : first;
      if (referenceMode.equals("rr")) {
        // Only round-robin draws nothing: its hit rate must agree to the last printed digit.
        ChecksumMismatchException.requireEqual(
            "fleet hit rate", hitRate(our.output), hitRate(their.output.split(" ", -1)[2]));
      }
      ourSeconds[round] = our.seconds;
      theirSeconds[round] = their.seconds;
    }
    return BenchResult.Row.lowerIsBetter(
        "fleet " + policy + ", process wall time, median of " + rounds,
        median(ourSeconds),
        median(theirSeconds),
        "s");
  }

  private static long hitRate(String text) {
    return Math.round(Double.parseDouble(text.strip()) * 10_000);
  }

  private static List<String> ourCommand(String policy, Path trace) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx2g",
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        FleetProcess.class.getName(),
        trace.toString(),
        Integer.toString(WORKERS),
        policy);
  }

  private static Timed time(List<String> command) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IllegalStateException("run failed: command=" + command.get(0));
    }
    return new Timed((System.nanoTime() - start) / 1e9, output);
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private record Timed(double seconds, String output) {}
}
