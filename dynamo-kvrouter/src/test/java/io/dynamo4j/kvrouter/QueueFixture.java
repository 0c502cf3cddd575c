// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** A router with a queue in virtual time; workers batch 100 tokens, prompts share nothing. */
final class QueueFixture {
  static final int BATCHED_TOKENS = 100;

  final Simulation simulation;
  final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  final FakeIndexer indexer = new FakeIndexer(RouterFixture.BLOCK);
  final LoadMonitor monitor;
  final KvRouter router;
  private final List<String> admitted = new ArrayList<>();
  private final Map<String, RequestLease> leases = new LinkedHashMap<>();
  private final Map<String, CompletionStage<RequestLease>> stages = new LinkedHashMap<>();
  private final Map<String, Throwable> failures = new LinkedHashMap<>();
  private int prompts;

  QueueFixture(long seed, int workers, QueueConfig queue) {
    this.simulation = Simulation.builder().seed(seed).build();
    for (long id = 1; id <= workers; id++) {
      register(id);
    }
    var environment = simulation.environment("router");
    this.monitor = LoadMonitor.create(environment.lanes().lane("monitor").clock());
    this.router =
        KvRouter.builder()
            .environment(environment)
            .directory(directory)
            .indexer(indexer)
            .loadMonitor(monitor)
            .queue(queue)
            .build();
    simulation.runFor(0);
  }

  void register(long id) {
    directory.register(
        RouterFixture.instance(id).maxBatchedTokens(BATCHED_TOKENS).totalKvBlocks(1_000).build());
  }

  static QueueConfig half(QueuePolicy policy) {
    return QueueConfig.ofThreshold(0.5, policy);
  }

  void ask(String id, int tokens) {
    ask(id, tokens, hints -> hints);
  }

  void ask(String id, int tokens, UnaryOperator<RoutingHints.Builder> wishes) {
    ask(prompt(id, tokens).routing(wishes.apply(RoutingHints.builder()).build()));
  }

  SchedulingRequest.Builder prompt(String id, int tokens) {
    return SchedulingRequest.builder(id, RouterFixture.tokens(10_000 * ++prompts, tokens));
  }

  void ask(SchedulingRequest.Builder request) {
    SchedulingRequest built = request.build();
    String id = built.key().requestId();
    CompletionStage<RequestLease> stage = router.select(built);
    stages.put(id, stage);
    stage.whenComplete(
        (lease, failure) -> {
          if (lease != null) {
            admitted.add(id);
            leases.put(id, lease);
          } else {
            failures.put(id, failure instanceof CompletionException ? failure.getCause() : failure);
          }
        });
    simulation.runFor(1_000_000);
  }

  /** Gives up as whoever holds the stage can. */
  boolean giveUp(String id) {
    return Objects.requireNonNull(stages.get(id), id).toCompletableFuture().cancel(false);
  }

  /** Says that a prompt is computed, and lets whatever follows happen. */
  void computed(String id) {
    lease(id).markPrefillCompleted();
    simulation.runFor(1_000_000);
  }

  void ended(String id) {
    lease(id).close();
    simulation.runFor(1_000_000);
  }

  RequestLease lease(String id) {
    RequestLease lease = leases.get(id);
    if (lease == null) {
      throw new AssertionError("request was not admitted: request=" + id);
    }
    return lease;
  }

  /** Returns who was admitted so far, in order. */
  List<String> admitted() {
    return List.copyOf(admitted);
  }

  Throwable failure(String id) {
    Throwable failure = failures.get(id);
    if (failure == null) {
      throw new AssertionError("request did not fail: request=" + id);
    }
    return failure;
  }

  boolean isResolved(String id) {
    return leases.containsKey(id) || failures.containsKey(id);
  }

  Map<String, RequestLease> leases() {
    return leases;
  }
}
