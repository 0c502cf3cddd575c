// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the one server of the run, which is killed at its end. */
final class NatsServerExtension implements ParameterResolver {

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == NatsServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(NatsServerExtension.class))
        .getOrComputeIfAbsent("server", key -> new Shared(NatsServer.start()), Shared.class)
        .server();
  }

  /** What the engine closes after the last test. */
  private record Shared(NatsServer server) implements AutoCloseable {
    @Override
    public void close() {
      server.close();
    }
  }
}
