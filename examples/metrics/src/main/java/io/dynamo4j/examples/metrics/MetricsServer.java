// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.dynamo4j.kvrouter.BusyThresholdHandler;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Serves a registry's text on {@code /metrics}, and busy thresholds, to this machine only. */
final class MetricsServer implements AutoCloseable {
  private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final String PATH = "/metrics";

  private final HttpServer server;
  private final PrometheusMeterRegistry registry;

  private MetricsServer(HttpServer server, PrometheusMeterRegistry registry) {
    this.server = server;
    this.registry = registry;
  }

  /**
   * Starts serving.
   *
   * @param port 0 for any that is free
   * @throws IOException if the port is taken
   */
  static MetricsServer start(int port, PrometheusMeterRegistry registry) throws IOException {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    MetricsServer started = new MetricsServer(HttpServer.create(loopback, 0), registry);
    started.server.createContext("/", started::answer);
    started.server.start();
    return started;
  }

  /** Lets operators read and set the busy thresholds as they do on a Dynamo frontend. */
  void mount(BusyThresholdHandler handler) {
    server.createContext(
        "/busy_threshold",
        exchange -> {
          try (exchange) {
            String type = exchange.getRequestHeaders().getFirst("Content-Type");
            byte[] body =
                exchange.getRequestBody().readNBytes(BusyThresholdHandler.MAX_BODY_BYTES + 1);
            var reply = handler.handle(exchange.getRequestMethod(), type == null ? "" : type, body);
            byte[] json = reply.json().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(reply.status(), json.length);
            exchange.getResponseBody().write(json);
          }
        });
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(404, -1);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        exchange.sendResponseHeaders(405, -1);
      } else {
        byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", CONTENT_TYPE);
        exchange.sendResponseHeaders(200, text.length);
        exchange.getResponseBody().write(text);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
