// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.testing.SharedData;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Real Dynamo processes on this machine, started and told what to do by the fleet's own script. */
final class Fleet implements AutoCloseable {
  /** The interpreter that has Dynamo; {@code bin/interop} sets it. */
  private static final String PYTHON = "dynamo4j.fleet.python";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final BufferedReader out;
  private final BufferedWriter in;
  private final JsonNode description;

  private Fleet(Process process) throws IOException {
    this.process = process;
    this.out = process.inputReader(StandardCharsets.UTF_8);
    this.in = process.outputWriter(StandardCharsets.UTF_8);
    this.description = readLine();
  }

  /** Starts workers and frontends; skips the test where the environment was not made. */
  static Fleet start(Path work, String... options) throws IOException {
    String python = System.getProperty(PYTHON, "");
    Assumptions.assumeFalse(python.isEmpty(), "no Dynamo here; bin/interop makes one");
    Path script = SharedData.tool("fleet/fleet.py");
    List<String> command =
        new ArrayList<>(
            List.of(python, script.toString(), "--python", python, "--work-dir", work.toString()));
    command.addAll(List.of(options));
    Process process =
        new ProcessBuilder(command).redirectError(work.resolve("fleet.err").toFile()).start();
    return new Fleet(process);
  }

  private JsonNode readLine() throws IOException {
    String line = out.readLine();
    if (line == null) {
      Assertions.fail("fleet ended: exit=" + process.isAlive());
    }
    return JSON.readTree(line);
  }

  private void command(String line) throws IOException {
    in.write(line);
    in.newLine();
    in.flush();
    readLine();
  }

  Path root() {
    return Path.of(description.path("discovery").path("root").asText());
  }

  /** Returns the variables by which processes of the fleet find its services. */
  Map<String, String> variables() {
    String nats = description.path("nats").asText("");
    return nats.isEmpty() || nats.equals("null") ? Map.of() : Map.of("NATS_SERVER", nats);
  }

  Path model() {
    return Path.of(description.path("model_dir").asText());
  }

  String frontend() {
    return description.path("frontends").path(0).path("http").asText();
  }

  long workerId(int index) {
    String id = description.path("workers").path(index).path("instance_id").asText();
    return Long.parseUnsignedLong(id);
  }

  /** Says {@code kill}, {@code term}, {@code stop} or {@code cont} to a worker. */
  void worker(String what, int index) throws IOException {
    command(what + " worker " + index);
  }

  @Override
  public void close() throws IOException {
    in.close();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
