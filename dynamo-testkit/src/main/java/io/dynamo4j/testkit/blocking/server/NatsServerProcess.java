// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.blocking.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real {@code nats-server} on a loopback port of its own choice, without JetStream unless asked
 * for. A shell beside it kills it when this process is gone, in whatever way. Needs a POSIX shell.
 *
 * <p><b>Threads.</b> Any; starting and closing wait for the server.
 */
public final class NatsServerProcess implements AutoCloseable {
  /** Starts the server, says its port, and kills it once standard input ends. */
  private static final String GUARD =
      """
      folder=$1
      shift
      nats-server -a 127.0.0.1 -p -1 --ports_file_dir "$folder" "$@" >"$folder/log" 2>&1 </dev/null &
      server=$!
      while kill -0 $server 2>/dev/null; do
        port=$(cat "$folder"/*.ports 2>/dev/null | sed -n 's|.*"[a-z]*://127.0.0.1:\\([0-9]*\\)".*|\\1|p')
        if [ -n "$port" ]; then
          echo $port
          break
        fi
        sleep 0.01
      done
      exec >/dev/null
      cat
      kill -9 $server 2>/dev/null
      wait
      """;

  private final Process guard;
  private final Path folder;
  private final int port;

  private NatsServerProcess(Process guard, Path folder, int port) {
    this.guard = guard;
    this.folder = folder;
    this.port = port;
  }

  /** Returns whether a server could be started here. */
  public static boolean isInstalled() {
    try {
      return run("command -v nats-server >/dev/null") == 0;
    } catch (IOException noShell) {
      return false;
    }
  }

  private static int run(String script) throws IOException {
    return waitFor(new ProcessBuilder("sh", "-c", script).start());
  }

  /**
   * Starts a server and returns once it listens.
   *
   * @param arguments the server's own, such as {@code -js}; address and port are set
   * @throws IOException if it does not run; the message ends with what it said last
   */
  public static NatsServerProcess start(String... arguments) throws IOException {
    Path folder = Files.createTempDirectory("nats-server-");
    List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "sh", folder.toString()));
    command.addAll(Arrays.asList(arguments));
    Process guard =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    BufferedReader said = guard.inputReader(StandardCharsets.UTF_8);
    String port = said.readLine();
    if (port == null) {
      String last = lastLine(folder.resolve("log"));
      end(guard, folder);
      throw new IOException("nats-server does not run: said=" + last);
    }
    return new NatsServerProcess(guard, folder, Integer.parseInt(port));
  }

  /** Starts a server with JetStream, whose streams are in a folder that outlives it. */
  public static NatsServerProcess startWithStorage(Path storage, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(List.of("-js", "-sd", storage.toString()));
    all.addAll(Arrays.asList(arguments));
    return start(all.toArray(String[]::new));
  }

  private static @Nullable String lastLine(Path log) throws IOException {
    String last = null;
    if (Files.exists(log)) {
      for (String line : Files.readAllLines(log)) {
        last = line;
      }
    }
    return last;
  }

  public int port() {
    return port;
  }

  public String url() {
    return "nats://127.0.0.1:" + port;
  }

  /** Kills the server, so that its connections break, and returns once it is gone. Idempotent. */
  @Override
  public void close() throws IOException {
    end(guard, folder);
  }

  private static void end(Process guard, Path folder) throws IOException {
    guard.getOutputStream().close();
    waitFor(guard);
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static int waitFor(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return -1;
    }
  }
}
