// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static org.awaitility.Awaitility.await;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventScope;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Real lanes, transports and plain connections of a peer; closed in the order of dependence. */
final class NatsRun implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);
  static final String TOPIC = "kv-events";

  private static final AtomicLong COUNT = new AtomicLong();

  final RealEnvironment lanes = RealEnvironment.create();
  final Environment environment = lanes.environment();

  /** A scope that no other test uses. */
  final EventScope.Endpoint scope =
      new EventScope.Endpoint("run-" + COUNT.incrementAndGet(), "backend", "generate");

  private final List<NatsTransport> transports = new ArrayList<>();
  private final List<Connection> peers = new ArrayList<>();

  Scheduler lane() {
    return lanes.lane("listener");
  }

  NatsTransport transport(String url) {
    return transport(quick(url).build());
  }

  NatsTransport transport(NatsOptions options) {
    NatsTransport transport = NatsTransport.create(environment, options);
    transports.add(transport);
    return transport;
  }

  /** Returns options of a client that reconnects soon and has patience with a slow machine. */
  static Options.Builder client(String url) {
    return Options.builder()
        .server(url)
        .userInfo("user", "user")
        .connectionTimeout(PATIENCE)
        .socketWriteTimeout(PATIENCE.multipliedBy(2))
        .maxReconnects(-1)
        .reconnectWait(Duration.ofMillis(20))
        .reconnectJitter(Duration.ofMillis(10))
        .ignoreDiscoveredServers()
        .errorListener(new LoggedErrors());
  }

  static NatsOptions.Builder quick(String url) {
    return NatsOptions.builder()
        .clientOptions(client(url).build())
        .retry(Duration.ofMillis(10), Duration.ofMillis(50));
  }

  /** Returns a connection of the client itself. */
  Connection peer(String url) throws IOException, InterruptedException {
    Connection peer = Nats.connect(client(url).build());
    peers.add(peer);
    return peer;
  }

  /** Returns once the server has confirmed everything asked before. */
  void confirm(NatsTransport transport) {
    CompletableFuture<Void> confirmed = new CompletableFuture<>();
    transport.whenConfirmed(lane(), () -> confirmed.complete(null));
    get(confirmed);
  }

  static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("did not come", e);
    }
  }

  static void eventually(Callable<Boolean> condition) {
    await().pollInSameThread().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    transports.forEach(NatsTransport::close);
    for (Connection peer : peers) {
      try {
        peer.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    lanes.close();
  }
}
