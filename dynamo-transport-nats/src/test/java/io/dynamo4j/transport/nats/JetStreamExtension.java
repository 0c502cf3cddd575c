// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the one server with JetStream of the run, which is killed at its end. */
final class JetStreamExtension implements ParameterResolver {

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == NatsServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(JetStreamExtension.class))
        .getOrComputeIfAbsent("server", key -> Shared.start(), Shared.class)
        .server();
  }

  static Path folder() {
    try {
      return Files.createTempDirectory("nats-storage-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : all) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException left) {
      // A temporary folder.
    }
  }

  /** What the engine closes after the last test. */
  private record Shared(NatsServer server, Path storage) implements AutoCloseable {
    static Shared start() {
      Path storage = folder();
      return new Shared(NatsServer.startWithStorage(storage), storage);
    }

    @Override
    public void close() {
      server.close();
      delete(storage);
    }
  }
}
