// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.examples.gateway.DurableIndex;
import io.dynamo4j.examples.gateway.DynamoGateway;
import io.dynamo4j.examples.gateway.KvBridge;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.plane.PlaneSelection;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.blocking.server.NatsServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real Dynamo 1.6.1 workers whose events and requests go over NATS. */
class NatsFleetIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int BLOCK_SIZE = KvFollower.BLOCK_SIZE;
  private static final PlaneSelection NATS =
      PlaneSelection.builder().events("nats", "fleet").requests("nats", "fleet").build();

  @TempDir Path work;
  @TempDir Path storage;

  private Fleet fleet(String... more) throws Exception {
    List<String> options = new ArrayList<>(List.of("--workers", "3"));
    options.addAll(List.of("--event-plane", "nats", "--request-plane", "nats"));
    options.addAll(List.of(more));
    return Fleet.start(work, options.toArray(String[]::new));
  }

  @Test
  void shouldContinueElsewhereWhenWorkerIsKilled() throws Exception {
    try (Fleet fleet = fleet("--speedup", "1");
        DynamoGateway gateway =
            DynamoGateway.join(
                NATS, fleet.variables(), fleet.root(), KvFollower.GENERATE, BLOCK_SIZE)) {
      Awaitility.await().atMost(PATIENCE).until(() -> gateway.workers().instances().size() == 3);
      List<Answer> answers = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        answers.add(
            Answer.of(
                gateway.answer(
                    PreprocessedRequest.builder("lost-" + i, TokenSlice.wrap(prompt(i, 3)))
                        .model("tiny")
                        .stopConditions(
                            StopConditions.builder().maxTokens(200).ignoreEos(true).build())
                        .build())));
      }
      for (Answer answer : answers) {
        answer.awaitFirstItem();
      }
      fleet.worker("kill", 0);
      for (Answer answer : answers) {
        assertThat(answer.awaitEnd()).isNull();
        assertThat(answer.tokens()).hasSize(200);
        assertThat(answer.finishReasons()).containsExactly(FinishReason.LENGTH);
      }
    }
  }

  @Test
  void shouldKnowWhatWorkersHoldWhenAllRoutersHaveDiedAndOneStartsAlone() throws Exception {
    try (Fleet fleet = fleet("--dp", "2");
        NatsServerProcess server = NatsServerProcess.startWithStorage(storage);
        KvFollower follower = new KvFollower(fleet.root(), NATS, fleet.variables());
        KvBridge bridge =
            KvBridge.open(
                follower.environment(), variables(server), "dynamo", "backend", BLOCK_SIZE);
        KvEventFeed bridged = follower.feed(bridge.index())) {
      assertThat(bridged.sources()).isNotNull();
      follower.awaitWorkers(3);
      List<Router> routers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        routers.add(new Router(server));
      }
      load(follower, 0);
      for (Router router : routers) {
        router.awaitEqualToDumps(follower);
        router.kill();
      }
      // What comes while no router lives is in the log.
      load(follower, 12);
      try (Router alone = new Router(server)) {
        alone.awaitEqualToDumps(follower);
      }
    }
  }

  private static void load(KvFollower follower, int from) throws Exception {
    List<Answer> answers = new ArrayList<>();
    List<WorkerInstance> workers = follower.discovery().workers().instances();
    for (int i = from; i < from + 12; i++) {
      WorkerInstance worker = workers.get(i % workers.size());
      answers.add(follower.send(worker, "load-" + i, prompt(i, 6), 40));
    }
    for (Answer answer : answers) {
      assertThat(answer.awaitEnd()).isNull();
    }
  }

  private static Map<String, String> variables(NatsServerProcess server) {
    return Map.of("NATS_SERVER", server.url());
  }

  private static int[] prompt(int number, int blocks) {
    int[] prompt = new int[blocks * BLOCK_SIZE];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = 300 + (number * 131 + i * 7) % 600;
    }
    return prompt;
  }

  /** A router of the durable mode, with threads of its own. */
  private static final class Router implements AutoCloseable {
    private final RealEnvironment threads = RealEnvironment.create();
    private final DurableIndex index;

    Router(NatsServerProcess server) throws Exception {
      index =
          DurableIndex.open(
              threads.environment(), variables(server), "dynamo", "backend", BLOCK_SIZE);
      index.caughtUp().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Waits until the index holds what each worker says, and no more. */
    void awaitEqualToDumps(KvFollower follower) {
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(500))
          .untilAsserted(
              () -> {
                Map<WorkerWithDpRank, String> dumped = follower.dumped();
                assertThat(dumped).isNotNull();
                SortedMap<WorkerWithDpRank, String> held = new TreeMap<>();
                held.putAll(follower.held(index.index()));
                assertThat(held).isEqualTo(dumped);
              });
      assertThat(index.index().status().blocks()).isPositive();
    }

    /** Ends in the middle of whatever it does: its lanes stop first. */
    void kill() {
      threads.close();
      index.close();
    }

    @Override
    public void close() {
      index.close();
      threads.close();
    }
  }
}
