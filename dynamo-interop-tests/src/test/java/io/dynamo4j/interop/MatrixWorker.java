// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.source.KvEventSource;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A worker over planes of its own that counts, each token 1,000 more than the length of its
 * context, and says that it holds the blocks of each prompt that it has answered.
 */
final class MatrixWorker implements AutoCloseable {
  static final int BLOCK_SIZE = 16;

  private static final BlockHasher HASHER = BlockHasher.of(BlockHashOptions.of(BLOCK_SIZE));
  private static final long TOKEN_NANOS = 500_000;

  private final MatrixPlanes planes;
  private final InMemoryWorkerDirectory directory;
  private final WorkerInstance instance;
  private final KvEventSource source;
  private final ServedEndpoint served;
  private final AtomicInteger requests = new AtomicInteger();
  private volatile boolean stuck;

  /**
   * Starts a worker, registered once it can be reached.
   *
   * @param queryTargets is told where its events are asked for
   */
  MatrixWorker(
      long id,
      MatrixPlanes planes,
      InMemoryWorkerDirectory directory,
      Map<WorkerWithDpRank, WorkerInstance> queryTargets)
      throws Exception {
    this.planes = planes;
    this.directory = directory;
    instance =
        WorkerInstance.builder(id, planes.address(planes.requests(), id, "generate"))
            .incarnation(1)
            .kvBlockSize(BLOCK_SIZE)
            .totalKvBlocks(1024)
            .build();
    WorkerInstance answering =
        WorkerInstance.builder(id, planes.address(planes.queries(), id, "worker_kv_query_dp0"))
            .incarnation(1)
            .build();
    source =
        KvEventSource.builder(instance.rank(0), id)
            .eventPlane(planes.events(), KvFollower.GENERATE)
            .environment(planes.environment())
            .serveRecovery(planes.queries(), answering)
            .start();
    served = planes.requests().serve(instance, this::handle);
    queryTargets.put(instance.rank(0), answering);
    CompletableFuture<Void> reached = new CompletableFuture<>();
    planes.whenServed(
        planes.environment().lanes().lane("registration"), () -> reached.complete(null));
    reached.get(60, TimeUnit.SECONDS);
    directory.register(instance);
  }

  private void handle(
      String requestId, PreprocessedRequest request, ResponseSink<LLMEngineOutput> sink) {
    requests.incrementAndGet();
    Scheduler lane = planes.environment().lanes().lane("generate");
    int context = request.tokenIds().length();
    int end = context + (int) request.stopConditions().maxTokens();
    long[] hashes = HASHER.hash(request.tokenIds());
    lane.execute(() -> step(lane, sink, hashes, context, context, end));
  }

  private void step(
      Scheduler lane,
      ResponseSink<LLMEngineOutput> sink,
      long[] hashes,
      int start,
      int context,
      int end) {
    if (stuck && context > start) {
      return;
    }
    TokenSlice token = TokenSlice.of(1_000 + context % 1_000);
    if (context + 1 >= end) {
      source.publish(StorageTier.DEVICE, List.of(Stored.atRoot(hashes, hashes)));
      sink.next(LLMEngineOutput.last(token, FinishReason.LENGTH));
      sink.complete();
    } else if (sink.next(LLMEngineOutput.of(token))) {
      lane.schedule(() -> step(lane, sink, hashes, start, context + 1, end), TOKEN_NANOS);
    }
  }

  WorkerWithDpRank rank() {
    return instance.rank(0);
  }

  int requestCount() {
    return requests.get();
  }

  /** Says one token to each request and no more: it cannot get done before it crashes. */
  void stopAfterFirstToken() {
    stuck = true;
  }

  /** As the end of the process, of which the directory hears. */
  void crash() {
    served.abort();
    source.close();
    directory.unregister(instance);
  }

  @Override
  public void close() {
    planes.close();
  }
}
