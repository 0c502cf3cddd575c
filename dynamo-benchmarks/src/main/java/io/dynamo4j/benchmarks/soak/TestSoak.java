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
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A soak that is tests of a module, so that it sees what only tests see: run with Maven, in a build
 * folder of their own, they say in a file what they have seen.
 */
public final class TestSoak implements Bench {
  /** Overrides how many seeds a soak takes. */
  static final String SEEDS = "dynamo4j.soak.seeds";

  private static final int MOST_LINES = 12;

  private final String name;
  private final String description;
  private final String module;
  private final String test;
  private final Function<Boolean, List<String>> settings;

  private TestSoak(
      String name,
      String description,
      String module,
      String test,
      Function<Boolean, List<String>> settings) {
    this.name = name;
    this.description = description;
    this.module = module;
    this.test = test;
    this.settings = settings;
  }

  /** The proofs of core, long, on a seed that no earlier run has seen. */
  public static TestSoak core() {
    return new TestSoak(
        "soak-core",
        "jcstress, Lincheck, races, churn and streams of the tree, long; fails with the finding",
        "dynamo-core",
        "CoreSoak",
        quick ->
            List.of(
                "-Ddynamo4j.soak.seed=" + System.currentTimeMillis(),
                "-Ddynamo4j.soak.quick=" + quick));
  }

  /** The durable mode over a real server. */
  public static TestSoak nats() {
    return new TestSoak(
        "soak-nats",
        "three routers with random kills over a real nats-server, 200 seeds",
        "dynamo-transport-nats",
        "NatsDurableModeTest",
        quick -> List.of("-Ddynamo4j.durable.nats.seeds=" + seeds(quick ? 5 : 200)));
  }

  /** The durable mode over a simulated server, in virtual time. */
  public static TestSoak durable() {
    return new TestSoak(
        "soak-durable",
        "routers and writers with random kills, outages and resets over a simulated log, 2,000 seeds",
        "dynamo-indexer",
        "DurableModePropertyTest",
        quick -> List.of("-Ddynamo4j.durable.seeds=" + seeds(quick ? 60 : 2_000)));
  }

  private static int seeds(int otherwise) {
    return Integer.getInteger(SEEDS, otherwise);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public BenchResult run(BenchOptions options) {
    Path root = Path.of(System.getProperty("dynamo4j.root", "")).toAbsolutePath();
    Path folder = root.resolve(module + "/target/" + name);
    long run = System.currentTimeMillis();
    try {
      Files.createDirectories(folder);
      Path facts = folder.resolve("facts-" + run + ".txt");
      Path log = folder.resolve("log-" + run + ".txt");
      int code =
          new ProcessBuilder(command(facts, options.quick()))
              .directory(root.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start()
              .waitFor();
      if (code != 0) {
        throw new IllegalStateException(
            "soak failed: name=" + name + ", log=" + log + ", errors=\n" + errors(log));
      }
      return new BenchResult(List.of(), facts(facts));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private List<String> command(Path facts, boolean quick) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "mvn",
                "-B",
                "-ntp",
                "-pl",
                module,
                "-am",
                "test",
                "-Dtest=" + test,
                "-Dsurefire.failIfNoSpecifiedTests=false",
                "-Dspotless.check.skip",
                "-Dbuild.folder=target/" + name + "/build",
                "-Ddynamo4j.soak.facts=" + facts));
    command.addAll(settings.apply(quick));
    return command;
  }

  private static String errors(Path log) throws IOException {
    try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.startsWith("[ERROR]"))
          .limit(MOST_LINES)
          .collect(Collectors.joining("\n"));
    }
  }

  private List<BenchResult.Fact> facts(Path file) throws IOException {
    List<BenchResult.Fact> facts = new ArrayList<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      int at = line.lastIndexOf('=');
      facts.add(
          new BenchResult.Fact(
              name + " " + line.substring(0, at),
              Double.parseDouble(line.substring(at + 1)),
              line.contains(" bytes") ? "B" : "count"));
    }
    return facts;
  }
}
