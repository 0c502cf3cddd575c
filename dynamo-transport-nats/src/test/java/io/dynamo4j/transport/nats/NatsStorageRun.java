// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A component of its own on a server, for one test, and transports to it. */
final class NatsStorageRun {
  private static final AtomicLong COUNT = new AtomicLong();

  final String namespace = "storage-" + COUNT.incrementAndGet();
  private final String url;
  private final List<NatsTransport> transports = new ArrayList<>();

  NatsStorageRun(NatsServer server) {
    this.url = server.url();
  }

  DurableStreamConfig.Builder config() {
    return DurableStreamConfig.builder(namespace, "backend")
        .maxBytes(64 << 20)
        .requestTimeout(NatsRun.PATIENCE);
  }

  NatsTransport transport(Environment environment) {
    NatsTransport transport = NatsTransport.create(environment, NatsRun.quick(url).build());
    transports.add(transport);
    return transport;
  }

  void close() {
    transports.forEach(NatsTransport::close);
  }
}
