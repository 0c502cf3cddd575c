// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs two methods of a JMH class against each other in alternating rounds, A B B A, each round of
 * each in a process of its own, so that a slow minute of the machine hits both.
 */
public final class JmhRounds {
  private static final int ROUNDS = 4;

  private final Class<?> benchmark;
  private final boolean quick;

  private JmhRounds(Class<?> benchmark, boolean quick) {
    this.benchmark = benchmark;
    this.quick = quick;
  }

  public static JmhRounds of(Class<?> benchmark, BenchOptions options) {
    return new JmhRounds(benchmark, options.quick());
  }

  /**
   * Measures {@code ours} and {@code reference} for each value of a parameter.
   *
   * @return for each value the medians over the rounds, ours first, in the unit of the class
   */
  public Map<String, double[]> compare(String parameter, List<String> values) {
    List<String> methods = List.of("ours", "reference");
    Map<String, double[]> medians = new LinkedHashMap<>();
    for (String value : values) {
      List<List<Double>> scores = List.of(new ArrayList<>(), new ArrayList<>());
      for (int round = 0; round < (quick ? 1 : ROUNDS); round++) {
        for (int turn = 0; turn < 2; turn++) {
          int method = (round + turn) % 2;
          scores.get(method).add(score(methods.get(method), parameter, value));
        }
      }
      medians.put(value, new double[] {median(scores.get(0)), median(scores.get(1))});
    }
    return medians;
  }

  private double score(String method, String parameter, String value) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + benchmark.getName().replace(".", "\\.") + "\\." + method + "$")
            .param(parameter, value)
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true)
            .jvmArgsAppend("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");
    try {
      RunResult result = new Runner((quick ? brief(options) : full(options)).build()).runSingle();
      return result.getPrimaryResult().getScore();
    } catch (RunnerException e) {
      throw new IllegalStateException("benchmark failed: class=" + benchmark.getName(), e);
    }
  }

  private static ChainedOptionsBuilder full(ChainedOptionsBuilder options) {
    return options
        .forks(1)
        .warmupIterations(3)
        .warmupTime(TimeValue.milliseconds(300))
        .measurementIterations(5)
        .measurementTime(TimeValue.milliseconds(200));
  }

  /** Runs in this process for a few milliseconds: shows that it works, measures nothing. */
  private static ChainedOptionsBuilder brief(ChainedOptionsBuilder options) {
    return options
        .forks(0)
        .warmupIterations(1)
        .warmupTime(TimeValue.milliseconds(10))
        .measurementIterations(1)
        .measurementTime(TimeValue.milliseconds(10));
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
