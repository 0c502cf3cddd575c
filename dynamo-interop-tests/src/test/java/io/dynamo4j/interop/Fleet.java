// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.testing.SharedData;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Real Dynamo processes on this machine, started and told what to do by the fleet's own script. The
 * script ends them when this process ends, in whatever way.
 */
final class Fleet implements AutoCloseable {
  /** The interpreter that has Dynamo; {@code bin/verify} and {@code bin/interop} set it. */
  private static final String PYTHON = "dynamo4j.fleet.python";

  /** Ports are found free and taken a little later; in between they may be taken by others. */
  private static final int STARTS = 3;

  private static final long STOP_SECONDS = 60;
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
    require(!python.isEmpty(), "no Dynamo here: bin/verify and bin/interop make its environment");
    List<String> given = List.of(options);
    require(
        !given.contains("nats") || isInstalled("nats-server"),
        "nats-server is not installed: apt-get install nats-server");
    String script = SharedData.tool("fleet/fleet.py").toString();
    List<String> command = new ArrayList<>(List.of(python, script, "--python", python));
    command.addAll(List.of("--work-dir", work.toString(), "--timeout", "240"));
    command.addAll(given);
    for (int start = 1; ; start++) {
      Fleet fleet =
          new Fleet(
              new ProcessBuilder(command)
                  .redirectError(work.resolve("fleet.err").toFile())
                  .start());
      if (fleet.description.path("ready").asBoolean()) {
        return fleet;
      }
      fleet.close();
      if (start == STARTS) {
        throw new IOException("cannot start fleet: said=" + fleet.description);
      }
    }
  }

  private static void require(boolean isThere, String otherwise) {
    if (!isThere && "true".equals(System.getenv("CI"))) {
      Assertions.fail(otherwise);
    }
    Assumptions.assumeTrue(isThere, otherwise);
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private JsonNode readLine() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("fleet ended: process=" + process);
    }
    return JSON.readTree(line);
  }

  private JsonNode command(String line) throws IOException {
    in.write(line);
    in.newLine();
    in.flush();
    JsonNode answer = readLine();
    Assertions.assertFalse(answer.has("error"), () -> line + ": " + answer);
    return answer;
  }

  /** Starts one more worker and returns its id. */
  long addWorker() throws IOException {
    return Long.parseUnsignedLong(
        command("add worker").path("worker").path("instance_id").asText());
  }

  /** Starts one more frontend and returns where it listens. */
  String addFrontend() throws IOException {
    return command("add frontend").path("frontend").path("http").asText();
  }

  /** Says {@code kill}, {@code term}, {@code stop} or {@code cont} to a frontend. */
  void frontend(String what, int index) throws IOException {
    command(what + " frontend " + index);
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
    List<ProcessHandle> children = process.descendants().toList();
    try {
      in.close();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } finally {
      children.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
