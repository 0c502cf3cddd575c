// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.blocking.BlockingResponses;
import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.testkit.simulation.BatonThread;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class BatonBlockingResponsesTest extends BlockingResponsesContract {

  @Override
  BlockingHost newHost() {
    Simulation simulation = Simulation.builder().seed(3).build();
    SimulatedNode node = simulation.node("host");
    return new BlockingHost() {
      @Override
      public Environment environment() {
        return node.environment();
      }

      @Override
      public void runClient(Consumer<Gate> body) {
        try (BatonThread thread = node.startThread("client", body)) {
          simulation.run();
          assertThat(thread.isDone()).isTrue();
        }
      }

      @Override
      public void close() {}
    };
  }

  @Test
  void shouldRepeatTheTraceWhenSeveralClientsBlock() {
    assertThat(severalClients(11)).isEqualTo(severalClients(11)).isNotEqualTo(severalClients(12));
  }

  private static long severalClients(long seed) {
    Simulation simulation = Simulation.builder().seed(seed).build();
    SimulatedNode node = simulation.node("host");
    List<BatonThread> threads = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ScriptedStream stream = ScriptedStream.completing(node.lane("stream-" + i), 50, 1000);
      threads.add(
          node.startThread(
              "client-" + i,
              gate -> {
                try (var responses = BlockingResponses.builder(stream, gate).window(3).open()) {
                  while (responses.hasNext()) {
                    simulation.note(responses.next());
                  }
                }
              }));
    }
    simulation.run();
    assertThat(threads).allMatch(BatonThread::isDone);
    return simulation.traceHash();
  }

  @Test
  void shouldFailTheRunWhenClientThrows() {
    Simulation simulation = Simulation.builder().build();
    simulation
        .node("host")
        .startThread(
            "client",
            gate -> {
              throw new IllegalArgumentException("client failed");
            });
    assertThatThrownBy(simulation::run).hasRootCauseMessage("client failed");
  }

  @Test
  void shouldRefuseToWaitWhenOnALane() {
    Simulation simulation = Simulation.builder().build();
    SimulatedNode node = simulation.node("host");
    AtomicReference<Gate> leaked = new AtomicReference<>();
    node.startThread("client", leaked::set);
    simulation.run();
    node.lane("lane").execute(() -> awaitForever(leaked.get()));
    assertThatThrownBy(simulation::run).hasMessageContaining("lane must not wait");

    Simulation pumped = Simulation.builder().build();
    pumped.controller().execute(() -> awaitForever(pumped.gate()));
    assertThatThrownBy(pumped::run).hasMessageContaining("inside an event");
  }

  private static void awaitForever(Gate gate) {
    try {
      gate.await(() -> false, Long.MAX_VALUE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void shouldEndTheThreadWhenItsNodeCrashedAndItIsClosed() {
    Simulation simulation = Simulation.builder().build();
    SimulatedNode node = simulation.node("host");
    List<String> log = new ArrayList<>();
    BatonThread thread =
        node.startThread(
            "client",
            gate -> {
              try {
                awaitForever(gate);
                log.add("returned");
              } finally {
                log.add("unwound");
              }
            });
    simulation.controller().schedule(node::crash, 1000);
    simulation.run();
    assertThat(thread.isDone()).isFalse();
    thread.close();
    thread.close();
    assertThat(thread.isDone()).isTrue();
    assertThat(log).containsExactly("unwound");
  }
}
