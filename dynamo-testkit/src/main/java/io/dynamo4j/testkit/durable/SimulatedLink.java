// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.durable;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One client's connection: messages keep their order in each direction, or get lost. */
final class SimulatedLink {
  private final SimulatedLogServer server;
  private final Scheduler lane;
  private final Simulation simulation;
  private long lastArrivalNanos;
  private long lastReturnNanos;
  private boolean closed;

  SimulatedLink(SimulatedLogServer server, Environment environment, String laneName) {
    this.server = server;
    this.lane = environment.lanes().lane(laneName);
    this.simulation = server.simulation();
  }

  SimulatedLogServer server() {
    return server;
  }

  Scheduler lane() {
    return lane;
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    closed = true;
  }

  /** Has the server do something, and the result come back or not. */
  <T> CompletionStage<T> call(Supplier<T> onServer) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Cancellable timeout = closed ? null : armTimeout(result);
    if (timeout == null) {
      result.completeExceptionally(new DurableLogException(Reason.CLOSED, "log is closed"));
      return result.minimalCompletionStage();
    }
    send(
        () -> {
          try {
            T value = onServer.get();
            answer(() -> complete(result, timeout, value));
          } catch (DurableLogException failure) {
            answer(() -> fail(result, timeout, failure));
          }
        });
    return result.minimalCompletionStage();
  }

  /** Returns null if the client's node has ended. */
  private @Nullable Cancellable armTimeout(CompletableFuture<?> result) {
    try {
      return lane.schedule(
          () ->
              result.completeExceptionally(
                  new DurableLogException(Reason.UNREACHABLE, "server does not answer")),
          server.settings().requestTimeout().toNanos());
    } catch (RejectedExecutionException ended) {
      return null;
    }
  }

  private static <T> void complete(CompletableFuture<T> result, Cancellable timeout, T value) {
    timeout.cancel();
    result.complete(value);
  }

  private static <T> void fail(
      CompletableFuture<T> result, Cancellable timeout, DurableLogException failure) {
    timeout.cancel();
    result.completeExceptionally(failure);
  }

  /** Sends a message to the server. */
  void send(Runnable onServer) {
    if (!server.isReachable()) {
      return;
    }
    lastArrivalNanos = Math.max(lastArrivalNanos, simulation.nowNanos() + server.latencyNanos());
    server
        .lane()
        .schedule(
            () -> {
              if (server.isReachable()) {
                onServer.run();
              }
            },
            lastArrivalNanos - simulation.nowNanos());
  }

  /** Sends a message back, from the server. */
  void answer(Runnable onClient) {
    if (!server.isReachable() || server.losesReply()) {
      return;
    }
    lastReturnNanos = Math.max(lastReturnNanos, simulation.nowNanos() + server.latencyNanos());
    try {
      lane.schedule(
          () -> {
            if (server.isReachable()) {
              onClient.run();
            }
          },
          lastReturnNanos - simulation.nowNanos());
    } catch (RejectedExecutionException gone) {
      // The client has ended.
    }
  }
}
