// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.comparator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.benchmarks.Cores;
import io.dynamo4j.benchmarks.SharedFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Dynamo's own code, timed by its own program: one JSON object a measurement. */
public final class Comparator {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path program;

  private Comparator(Path program) {
    this.program = program;
  }

  /** Returns the comparator, built if need be, or nothing where its sources or cargo are absent. */
  public static Optional<Comparator> find() throws IOException, InterruptedException {
    return find("");
  }

  /**
   * Returns the comparator with the default selector, which Dynamo publishes only beside counters
   * in its index: no figure of an index is to be quoted from it.
   */
  public static Optional<Comparator> findWithSelector() throws IOException, InterruptedException {
    return find("selector");
  }

  private static Optional<Comparator> find(String features)
      throws IOException, InterruptedException {
    Path sources = SharedFolder.path("tools/rust-comparator");
    return ComparatorBuild.program(sources, features, System.getenv()).map(Comparator::new);
  }

  /**
   * Runs the program on the cores of ours.
   *
   * @throws IOException if it fails or says nothing
   */
  public List<JsonNode> run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(Cores.prefix());
    command.add(program.toString());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    List<JsonNode> measurements = new ArrayList<>();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        measurements.add(JSON.readTree(line));
      }
    }
    int code = process.waitFor();
    if (code != 0 || measurements.isEmpty()) {
      throw new IOException("comparator failed: arguments=" + arguments + ", exit=" + code);
    }
    return measurements;
  }

  /**
   * Returns the one measurement that has these values.
   *
   * @param namesAndValues names and values in turn
   */
  public static JsonNode find(List<JsonNode> measurements, String... namesAndValues)
      throws IOException {
    for (JsonNode measurement : measurements) {
      boolean matches = true;
      for (int i = 0; i < namesAndValues.length; i += 2) {
        matches &= measurement.path(namesAndValues[i]).asText().equals(namesAndValues[i + 1]);
      }
      if (matches) {
        return measurement;
      }
    }
    throw new IOException("comparator left out: " + String.join(" ", namesAndValues));
  }
}
