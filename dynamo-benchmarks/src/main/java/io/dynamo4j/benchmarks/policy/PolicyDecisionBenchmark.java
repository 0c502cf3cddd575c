// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.KvPolicy;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One request's whole account: select and book, first token, end, in a fleet where every rank keeps
 * four requests. Ours is {@code kv-predicted}, the reference {@code kv}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PolicyDecisionBenchmark {
  private static final int BLOCK_SIZE = 16;
  private static final int REQUESTS_PER_RANK = 4;
  private static final int PROMPTS = 61;

  /** Ranks and blocks of the prompt. */
  @Param({"8x768", "64x768", "1024x768", "8x4", "64x4", "1024x4"})
  public String fleet = "8x4";

  private final RealEnvironment environment = RealEnvironment.create();
  private @Nullable KvRouter predicted;
  private @Nullable KvRouter kv;
  private RequestLease[] predictedLeases = {};
  private RequestLease[] kvLeases = {};
  private SchedulingRequest[] requests = {};
  private int turn;

  /** Fills both fleets alike. */
  @Setup
  public void fill() {
    String[] sizes = fleet.split("x", -1);
    int ranks = Integer.parseInt(sizes[0]);
    int blocks = Integer.parseInt(sizes[1]);
    KvRouter ours = router(ranks, KvPolicy.KV_PREDICTED);
    KvRouter theirs = router(ranks, KvPolicy.KV);
    requests = new SchedulingRequest[ranks * REQUESTS_PER_RANK + PROMPTS];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = SchedulingRequest.builder("r" + i, prompt(i % PROMPTS, blocks)).build();
    }
    predictedLeases = new RequestLease[ranks * REQUESTS_PER_RANK];
    kvLeases = new RequestLease[ranks * REQUESTS_PER_RANK];
    for (int i = 0; i < kvLeases.length; i++) {
      predictedLeases[i] = ours.trySelect(requests[i]);
      kvLeases[i] = theirs.trySelect(requests[i]);
    }
    turn = kvLeases.length - 1;
    predicted = ours;
    kv = theirs;
  }

  private KvRouter router(int ranks, KvPolicy policy) {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    List<WorkerWithDpRank> known = new ArrayList<>();
    for (int id = 1; id <= ranks; id++) {
      known.add(WorkerWithDpRank.of(id));
      directory.register(
          WorkerInstance.builder(id, InMemoryRequestPlane.address("worker-" + id))
              .kvBlockSize(BLOCK_SIZE)
              .totalKvBlocks(65_536)
              .maxBatchedTokens(8_192)
              .build());
    }
    return KvRouter.builder()
        .environment(environment.environment())
        .directory(directory)
        .indexer(new FixedIndex(BLOCK_SIZE, known))
        .policy(policy)
        .explainRate(0)
        .build();
  }

  private static TokenSlice prompt(int number, int blocks) {
    int[] tokens = new int[blocks * BLOCK_SIZE];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = i < tokens.length / 2 ? i : i * 31 + number;
    }
    return TokenSlice.wrap(tokens);
  }

  @TearDown
  public void end() {
    Objects.requireNonNull(predicted).close();
    Objects.requireNonNull(kv).close();
    environment.close();
  }

  @Benchmark
  public RequestLease ours() {
    return next(predicted, predictedLeases);
  }

  @Benchmark
  public RequestLease reference() {
    return next(kv, kvLeases);
  }

  private RequestLease next(@Nullable KvRouter prepared, RequestLease[] leases) {
    KvRouter router = Objects.requireNonNull(prepared);
    turn++;
    int place = turn % leases.length;
    leases[place].close();
    RequestLease lease = router.trySelect(requests[turn % requests.length]);
    leases[place] = lease;
    RequestLease older = leases[(turn + leases.length / 2) % leases.length];
    older.markPrefillCompleted();
    return lease;
  }
}
