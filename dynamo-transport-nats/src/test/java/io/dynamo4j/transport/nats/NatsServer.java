// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * A real {@code nats-server} without JetStream, on a port of its own choice. A shell beside it
 * kills it when this process is gone, in whatever way.
 */
final class NatsServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern PORT = Pattern.compile("\"nats://127\\.0\\.0\\.1:(\\d+)\"");

  /** Runs the server until standard input ends; its process id goes to a file. */
  private static final String GUARD =
      "folder=$1; shift; \"$@\" >\"$folder/log\" 2>&1 </dev/null & server=$!;"
          + " echo $server >\"$folder/pid\"; cat >/dev/null; kill -9 $server; wait";

  private final Process guard;
  private final Path folder;
  private final int port;

  private NatsServer(Process guard, Path folder, int port) {
    this.guard = guard;
    this.folder = folder;
    this.port = port;
  }

  /** Starts a server, or ends the calling test where none is installed. */
  static NatsServer start(String... arguments) {
    requireInstalled();
    try {
      Path folder = Files.createTempDirectory("nats-server-");
      List<String> command =
          new ArrayList<>(List.of("sh", "-c", GUARD, "sh", folder.toString(), "nats-server"));
      command.addAll(List.of("-a", "127.0.0.1", "-p", "-1"));
      command.addAll(List.of("--ports_file_dir", folder.toString()));
      command.addAll(Arrays.asList(arguments));
      Process guard = new ProcessBuilder(command).redirectErrorStream(true).start();
      return new NatsServer(guard, folder, awaitPort(folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void requireInstalled() {
    boolean isThere =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "nats-server")));
    if (!isThere) {
      String message = "nats-server is not installed: apt-get install nats-server";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(message);
      }
      Assumptions.abort(message);
    }
  }

  private static int awaitPort(Path folder) {
    int[] port = new int[1];
    await()
        .pollInSameThread()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> (port[0] = readPort(folder)) > 0);
    return port[0];
  }

  private static int readPort(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".ports")).toList()) {
        Matcher found = PORT.matcher(Files.readString(file));
        if (found.find()) {
          return Integer.parseInt(found.group(1));
        }
      }
    }
    return 0;
  }

  int port() {
    return port;
  }

  String url() {
    return "nats://127.0.0.1:" + port;
  }

  @Override
  public void close() {
    kill();
  }

  /** Kills the server; its connections break. */
  void kill() {
    try (OutputStream in = guard.getOutputStream()) {
      in.flush();
    } catch (IOException gone) {
      // The guard has ended already.
    }
    try {
      guard.waitFor();
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException left) {
      // A temporary folder.
    }
  }
}
