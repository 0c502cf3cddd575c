// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The proofs of core, long: jcstress, Lincheck, races, ten million operations of churn, streams
 * against the reference. They are core's own tests, so that they see what only tests see: this runs
 * them with Maven, in a build folder of its own, on a seed that no earlier run has seen.
 */
public final class CoreSoakBench implements Bench {
  private static final int MOST_LINES = 12;

  @Override
  public String name() {
    return "soak-core";
  }

  @Override
  public String description() {
    return "jcstress, Lincheck, races, churn and streams of the tree, long; fails with the finding";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    Path root = Path.of(System.getProperty("dynamo4j.root", "")).toAbsolutePath();
    Path folder = root.resolve("dynamo-core/target/soak-core");
    long seed = System.currentTimeMillis();
    try {
      Files.createDirectories(folder);
      Path facts = folder.resolve("facts-" + seed + ".txt");
      Path log = folder.resolve("log-" + seed + ".txt");
      int code =
          new ProcessBuilder(command(facts, seed, options.quick()))
              .directory(root.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start()
              .waitFor();
      if (code != 0) {
        throw new IllegalStateException(
            "soak failed: seed=" + seed + ", log=" + log + ", errors=\n" + errors(log));
      }
      return new BenchResult(List.of(), facts(facts));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static List<String> command(Path facts, long seed, boolean quick) {
    return List.of(
        "mvn",
        "-B",
        "-ntp",
        "-pl",
        "dynamo-core",
        "-am",
        "test",
        "-Dtest=CoreSoak",
        "-Dsurefire.failIfNoSpecifiedTests=false",
        "-Dspotless.check.skip",
        "-Dbuild.folder=target/soak-core/build",
        "-Ddynamo4j.soak.facts=" + facts,
        "-Ddynamo4j.soak.seed=" + seed,
        "-Ddynamo4j.soak.quick=" + quick);
  }

  private static String errors(Path log) throws IOException {
    try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.startsWith("[ERROR]"))
          .limit(MOST_LINES)
          .collect(Collectors.joining("\n"));
    }
  }

  private static List<BenchResult.Fact> facts(Path file) throws IOException {
    List<BenchResult.Fact> facts = new ArrayList<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      int at = line.lastIndexOf('=');
      facts.add(
          new BenchResult.Fact(
              "soak-core " + line.substring(0, at),
              Double.parseDouble(line.substring(at + 1)),
              line.startsWith("churn bytes") ? "B" : "count"));
    }
    return facts;
  }
}
