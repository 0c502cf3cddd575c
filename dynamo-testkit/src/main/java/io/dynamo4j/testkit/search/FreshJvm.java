// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs scenarios in a JVM started for it: other salt of the immutable collections, and one identity
 * hash for all objects ({@code -XX:hashCode=2}).
 */
final class FreshJvm {
  private static final String MARK = "trace ";

  private FreshJvm() {}

  /** Starts the JVM, has it run every scenario, and returns their traces in order. */
  static List<TraceRecord> run(Class<? extends ScenarioRunner> runner, List<ScenarioSpec> specs)
      throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                FreshJvm.class.getName(),
                runner.getName())
            .redirectErrorStream(true)
            .start();
    try {
      send(specs, process);
      return receive(specs.size(), process);
    } finally {
      process.destroy();
    }
  }

  private static void send(List<ScenarioSpec> specs, Process process) throws IOException {
    try (Writer out = process.outputWriter(StandardCharsets.UTF_8)) {
      for (ScenarioSpec spec : specs) {
        out.write(spec + "\n");
      }
    }
  }

  private static List<TraceRecord> receive(int count, Process process) throws IOException {
    List<TraceRecord> records = new ArrayList<>();
    StringBuilder rest = new StringBuilder();
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith(MARK)) {
          records.add(TraceRecord.parse(line.substring(MARK.length())));
        } else {
          rest.append(line).append('\n');
        }
      }
    }
    if (records.size() != count) {
      throw new IOException(
          "fresh JVM did not run every scenario: ran=" + records.size() + ", output=" + rest);
    }
    return records;
  }

  /** The fresh JVM: reads scenarios from standard input, writes one trace line for each. */
  public static void main(String[] arguments) throws IOException, ClassNotFoundException {
    Class<? extends ScenarioRunner> runner =
        Class.forName(arguments[0]).asSubclass(ScenarioRunner.class);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    List<ScenarioSpec> specs = new ArrayList<>();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      specs.add(ScenarioSpec.parse(line));
    }
    for (ScenarioSpec spec : specs) {
      System.out.println(MARK + DeterminismCheck.run(runner, spec));
    }
  }
}
