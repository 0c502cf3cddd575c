// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import io.dynamo4j.benchmarks.index.IndexBench;
import io.dynamo4j.benchmarks.index.IndexOptions;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command line of the benchmarks. */
@Command(
    name = "bench",
    description = {
      "Measures ours against references in the same run; ratio > 1 means that ours is better.",
      "Exit code 1 if ours and a reference compute different things, 2 for bad arguments."
    },
    footer = {
      "",
      "bin/bench alone also takes, as the first arguments:",
      "  soak-nats SEEDS       so many seeds instead of 200",
      "  soak-durable SEEDS    so many seeds instead of 2,000",
      "  soak-frames [COUNT]   changed frames on every decoder, 1,000,000"
    })
public final class BenchMain implements Callable<Integer> {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli sets it
  private boolean help;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = "Benchmarks and soaks to run; all benchmarks without.")
  private List<String> names = List.of();

  @Option(names = "--list", description = "Name the benchmarks and run nothing.")
  private boolean list;

  @Option(
      names = "--quick",
      description = "Check that all run and agree; the figures mean nothing.")
  private boolean quick;

  @Option(names = "--json", description = "Print one JSON object and nothing else.")
  private boolean json;

  @Mixin private final IndexOptions index = new IndexOptions();

  private BenchMain() {}

  public static void main(String[] args) {
    PrintStream console = System.out;
    // JMH and its forks write to System.out; only the result belongs there.
    System.setOut(System.err);
    int code =
        run(
            new PrintWriter(console, false, StandardCharsets.UTF_8),
            new PrintWriter(System.err, true, StandardCharsets.UTF_8),
            args);
    System.exit(code);
  }

  /** Runs with given streams and returns the exit code. */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    int code =
        new CommandLine(new BenchMain())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(out)
            .setErr(err)
            .setParameterExceptionHandler((e, ignored) -> refuse(err, e, 2))
            .setExecutionExceptionHandler((e, command, result) -> refuse(err, e, 1))
            .execute(args);
    if (out.checkError()) {
      err.println("bench: standard output is closed");
      return 2;
    }
    return code;
  }

  private static int refuse(PrintWriter err, Exception e, int code) {
    err.println("bench: " + (e.getMessage() == null ? e : e.getMessage()));
    return code;
  }

  @Override
  public Integer call() {
    List<Bench> chosen = chosen();
    if (list) {
      chosen.forEach(bench -> out().println(bench.name() + "  " + bench.description()));
      return 0;
    }
    validate(chosen);
    BenchReport report = BenchReport.create();
    for (Bench bench : chosen) {
      report.add(bench.run(new BenchOptions(quick, index)));
    }
    out().println(json ? report.toJson() : report.toTable());
    return 0;
  }

  private void validate(List<Bench> chosen) {
    if (index.isGiven() && chosen.stream().noneMatch(IndexBench.class::isInstance)) {
      throw refused("options of a log belong to index: names=" + names);
    }
    try {
      index.validate();
    } catch (IllegalArgumentException e) {
      throw refused(e.getMessage());
    }
  }

  private List<Bench> chosen() {
    if (names.isEmpty()) {
      return list ? Benches.all() : Benches.benchmarks();
    }
    List<Bench> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          Benches.all().stream()
              .filter(bench -> bench.name().equals(name))
              .findFirst()
              .orElseThrow(() -> unknown(name)));
    }
    return chosen;
  }

  private ParameterException unknown(String name) {
    List<String> known = Benches.all().stream().map(Bench::name).toList();
    return refused("no such benchmark: name=" + name + ", known=" + known);
  }

  private ParameterException refused(@Nullable String message) {
    return new ParameterException(spec().commandLine(), message);
  }

  private PrintWriter out() {
    return spec().commandLine().getOut();
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("command line is not parsed yet");
    }
    return spec;
  }
}
