// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.migration;

import com.sun.management.ThreadMXBean;
import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.JmhRounds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** What a token costs on its way through the migrator, and how many streams fit into a heap. */
public final class MigrationBench implements Bench {
  private static final List<String> SHAPES = List.of("unbounded", "window", "stall");
  private static final int STREAMS = 100_000;
  private static final int QUICK_STREAMS = 1_000;
  private static final int WARM_UP_STREAMS = 3_000;
  private static final int MEASURED_STREAMS = 100;
  private static final double MIB = 1 << 20;

  @Override
  public String name() {
    return "migration";
  }

  @Override
  public String description() {
    return "a token through the migrator against an operator that passes on; open streams in 1 GiB";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    List<Row> rows = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    for (String shape : SHAPES) {
      allocation(shape, options, rows, facts);
    }
    JmhRounds.of(StreamBenchmark.class, options)
        .compare("shape", SHAPES)
        .forEach(
            (shape, ns) ->
                rows.add(Row.lowerIsBetter("migration " + shape + ", time", ns[0], ns[1], "ns")));
    facts.add(openStreams(options.quick() ? QUICK_STREAMS : STREAMS));
    return new BenchResult(rows, facts);
  }

  private static void allocation(
      String shape, BenchOptions options, List<Row> rows, List<Fact> facts) {
    StreamBenchmark benchmark = new StreamBenchmark();
    benchmark.shape = shape;
    benchmark.prepare();
    String quantity = "migration " + shape + ", allocation";
    ChecksumMismatchException.requireEqual(quantity, benchmark.ours(), benchmark.reference());
    double ours = bytesPerToken(benchmark::ours, options);
    double reference = bytesPerToken(benchmark::reference, options);
    benchmark.close();
    rows.add(Row.lowerIsBetter(quantity, ours, reference, "B"));
    facts.add(new Fact(quantity + " of the migrator alone", ours - reference, "B"));
  }

  /** Returns bytes a token over whole streams: what a stream costs once is part of it. */
  private static double bytesPerToken(LongSupplier stream, BenchOptions options) {
    int scale = options.quick() ? 100 : 1;
    long sum = repeat(stream, WARM_UP_STREAMS / scale);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int measured = Math.max(1, MEASURED_STREAMS / scale);
    long before = threads.getCurrentThreadAllocatedBytes();
    sum += repeat(stream, measured);
    long after = threads.getCurrentThreadAllocatedBytes();
    if (sum == 0) {
      throw new IllegalStateException("streams brought nothing");
    }
    return (double) (after - before) / measured / StreamBenchmark.TOKENS;
  }

  private static long repeat(LongSupplier stream, int times) {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      sum += stream.getAsLong();
    }
    return sum;
  }

  private static Fact openStreams(int streams) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx1g",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            OpenStreams.class.getName(),
            Integer.toString(streams));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.waitFor() != 0) {
        throw new IllegalStateException("open streams do not fit into 1 GiB: streams=" + streams);
      }
      String quantity =
          String.format(
              Locale.ROOT,
              "migration live heap of %,d open streams, %d + %d tokens each, in 1 GiB",
              streams,
              OpenStreams.PROMPT_TOKENS,
              OpenStreams.DELIVERED_TOKENS);
      return new Fact(quantity, Long.parseLong(output) / MIB, "MiB");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }
}
