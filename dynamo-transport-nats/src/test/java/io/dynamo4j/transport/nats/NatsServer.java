// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** A {@link NatsServerProcess} for tests, which end where none is installed. */
final class NatsServer implements AutoCloseable {
  private final NatsServerProcess process;

  private NatsServer(NatsServerProcess process) {
    this.process = process;
  }

  /** Starts a server, or ends the calling test where none is installed. */
  static NatsServer start(String... arguments) {
    requireInstalled();
    try {
      return new NatsServer(NatsServerProcess.start(arguments));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a server that keeps streams in a folder, which outlives it. */
  static NatsServer startWithStorage(Path storage, String... arguments) {
    requireInstalled();
    try {
      return new NatsServer(NatsServerProcess.startWithStorage(storage, arguments));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void requireInstalled() {
    if (!NatsServerProcess.isInstalled()) {
      String message = "nats-server is not installed: apt-get install nats-server";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(message);
      }
      Assumptions.abort(message);
    }
  }

  int port() {
    return process.port();
  }

  String url() {
    return process.url();
  }

  @Override
  public void close() {
    kill();
  }

  /** Kills the server; its connections break. */
  void kill() {
    try {
      process.close();
    } catch (IOException left) {
      // A temporary folder.
    }
  }
}
