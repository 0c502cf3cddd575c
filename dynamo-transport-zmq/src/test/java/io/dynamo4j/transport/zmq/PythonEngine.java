// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.testing.SharedData;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** A real engine's publisher class in a Python process; batches go in as lines of JSON. */
final class PythonEngine implements AutoCloseable {
  private static final String PACKAGES = "-pyzmq-27.3.0";
  private static final long MAKING_MINUTES = 5;

  private final Process process;
  private final BufferedWriter in;
  private final BufferedReader out;
  private final int port;
  private final int replayPort;

  private PythonEngine(Process process, int port, int replayPort) {
    this.process = process;
    this.port = port;
    this.replayPort = replayPort;
    this.in =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Makes the Python environment unless it is there; ends the calling test if it cannot be.
   *
   * @param engine name and version, such as {@code sglang-0.5.23}
   */
  static void prepare(String engine) {
    Path program = SharedData.tool("engines/engine_publisher.py");
    try {
      Files.createDirectories(cache());
      try (FileChannel lock =
              FileChannel.open(
                  cache().resolve(name(engine) + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock held = lock.lock()) {
        if (held.isValid() && !Files.isDirectory(home(engine))) {
          make(engine, program);
        }
      }
    } catch (IOException e) {
      String message = "no Python environment for real engine publishers: cause=" + e.getMessage();
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(message, e);
      }
      Assumptions.abort(message);
    }
  }

  private static void make(String engine, Path program) throws IOException {
    Path making = Files.createTempDirectory(cache(), name(engine) + "-");
    run(List.of("python3", "-m", "venv", making.toString()));
    String python = making.resolve("bin/python").toString();
    run(
        List.of(
            python,
            "-m",
            "pip",
            "install",
            "-q",
            "pyzmq==27.3.0",
            "msgspec==0.23.0",
            "pydantic==2.12.5"));
    List<String> fetch = new ArrayList<>(List.of(python, program.toString(), "fetch"));
    fetch.addAll(List.of(engine.split("-", 2)));
    fetch.add(making.toString());
    run(fetch);
    // Ends by itself, since its input does: proves that everything it needs is there.
    run(
        List.of(
            python,
            program.toString(),
            "serve",
            engine.split("-", 2)[0],
            making.resolve(engine).toString(),
            "--endpoint",
            "tcp://127.0.0.1:*"));
    Files.move(making, home(engine), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void run(List<String> command) throws IOException {
    Process made =
        new ProcessBuilder(command)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!made.waitFor(MAKING_MINUTES, TimeUnit.MINUTES)) {
        made.destroyForcibly();
        throw new IOException("took too long: command=" + command);
      }
    } catch (InterruptedException e) {
      made.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted: command=" + command, e);
    }
    if (made.exitValue() != 0) {
      throw new IOException("failed: command=" + command + ", exit=" + made.exitValue());
    }
  }

  private static Path cache() {
    Map<String, String> environment = System.getenv();
    String named = environment.get("DYNAMO4J_CACHE");
    return named != null && !named.isEmpty()
        ? Path.of(named)
        : Path.of(environment.getOrDefault("HOME", "."), ".cache", "dynamo4j");
  }

  private static String name(String engine) {
    return "engine-publisher-" + engine + PACKAGES;
  }

  private static Path home(String engine) {
    return cache().resolve(name(engine));
  }

  /** Starts a publisher; 0 for any free port. */
  static PythonEngine start(String engine, int port, int replayPort) throws IOException {
    int pub = port == 0 ? freePort() : port;
    int replay = replayPort == 0 ? freePort() : replayPort;
    List<String> command = new ArrayList<>();
    // A virtual environment may be moved as long as its interpreter is called by its path.
    command.add(home(engine).resolve("bin/python").toString());
    command.add(SharedData.tool("engines/engine_publisher.py").toString());
    command.addAll(List.of("serve", engine.split("-", 2)[0]));
    command.add(home(engine).resolve(engine).toString());
    command.addAll(List.of("--endpoint", "tcp://*:" + pub, "--replay", "tcp://*:" + replay));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    PythonEngine started = new PythonEngine(process, pub, replay);
    String ready = started.out.readLine();
    if (ready == null || !ready.contains("\"ready\"")) {
      started.close();
      throw new IOException("publisher did not start: said=" + ready);
    }
    return started;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** Returns what an engine with these sockets is launched with. */
  String kvEventsConfig() {
    return "{\"publisher\": \"zmq\", \"endpoint\": \"tcp://*:"
        + port
        + "\", \"replay_endpoint\": \"tcp://*:"
        + replayPort
        + "\"}";
  }

  int port() {
    return port;
  }

  int replayPort() {
    return replayPort;
  }

  /** Publishes a batch and waits until the class has taken it. */
  void publish(String batch) throws IOException {
    in.write(batch);
    in.newLine();
    in.flush();
    String answer = out.readLine();
    if (answer == null || !answer.contains("\"published\"")) {
      throw new IOException("batch was refused: answer=" + answer);
    }
  }

  @Override
  public void close() {
    stop();
  }

  /** Ends the process; its ports are free then. */
  void stop() {
    try {
      in.close();
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
