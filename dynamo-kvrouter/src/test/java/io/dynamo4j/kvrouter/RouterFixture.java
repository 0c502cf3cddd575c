// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A directory of workers 1..n, an index and a health memory whose clock the test moves. */
final class RouterFixture {
  static final int BLOCK = 4;

  final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  final FakeIndexer indexer = new FakeIndexer(BLOCK);
  final AtomicLong nanos = new AtomicLong();
  final WorkerHealth health = WorkerHealth.create(nanos::get);

  RouterFixture(int workers) {
    for (int id = 1; id <= workers; id++) {
      register(id, 0);
    }
  }

  void register(long id, long incarnation) {
    directory.register(instance(id).incarnation(incarnation).build());
  }

  static WorkerInstance.Builder instance(long id) {
    return WorkerInstance.builder(id, InMemoryRequestPlane.address("worker-" + id));
  }

  KvRouterBuilder builder() {
    return KvRouter.builder()
        .environment(environment(1, nanos::get))
        .directory(directory)
        .indexer(indexer)
        .health(health);
  }

  KvRouter router() {
    return builder().build();
  }

  static Environment environment(long seed) {
    return environment(seed, () -> 0);
  }

  /** Returns an environment whose lanes tell the time and run nothing. */
  static Environment environment(long seed, NanoClock clock) {
    return new Environment(
        name -> new ClockLane(clock), InstantSource.system(), RandomSource.seeded(seed));
  }

  static WorkerWithDpRank worker(long id) {
    return WorkerWithDpRank.of(id);
  }

  /** A prompt of {@code length} consecutive tokens. */
  static TokenSlice tokens(int first, int length) {
    int[] tokens = new int[length];
    for (int i = 0; i < length; i++) {
      tokens[i] = first + i;
    }
    return TokenSlice.wrap(tokens);
  }

  static SchedulingRequest request(String id, TokenSlice tokens) {
    return SchedulingRequest.builder(id, tokens).build();
  }

  static SchedulingRequest pinned(String id, TokenSlice tokens, WorkerWithDpRank worker) {
    return SchedulingRequest.builder(id, tokens)
        .routing(RoutingHints.builder().pinnedWorker(worker).build())
        .build();
  }
}
