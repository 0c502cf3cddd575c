// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.discovery.ModelFolder;
import io.dynamo4j.discovery.Registration;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;

/** A worker in Java that counts: each token is 1,000 more than the length of its context. */
final class JavaWorker implements AutoCloseable {
  /** The number of its ranks, which all count alike. */
  static final int RANKS = 2;

  private static final long TOKEN_NANOS = 1_000_000;

  private final RealEnvironment threads = RealEnvironment.create();
  private final Environment environment = threads.environment();
  private final FileDiscovery discovery;
  private final TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> plane;
  private final ServedEndpoint served;
  private final Registration registration;
  private final Set<WorkerWithDpRank> ranks = new ConcurrentSkipListSet<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger cancels = new AtomicInteger();
  private volatile boolean stuck;

  JavaWorker(Path root, long id, ModelFolder model) {
    discovery = FileDiscovery.builder(environment, root).build();
    plane = TcpRequestPlane.builder(PayloadCodec.generate(), environment).build();
    String path = TcpRequestPlane.path(id, "dynamo", "backend", "generate");
    WorkerInstance instance =
        WorkerInstance.builder(id, plane.address(path))
            .dpRanks(0, RANKS)
            .kvBlockSize(16)
            .totalKvBlocks(1024)
            .maxBatchedTokens(8192)
            .build();
    served = plane.serve(instance, this::handle);
    registration =
        discovery.registerWorker(
            new EventScope.Endpoint("dynamo", "backend", "generate"), instance, model);
  }

  private void handle(
      String requestId, PreprocessedRequest request, ResponseSink<LLMEngineOutput> sink) {
    requests.incrementAndGet();
    WorkerWithDpRank rank = request.routing().pinnedWorker();
    if (rank != null) {
      ranks.add(rank);
    }
    sink.onCancel(cancels::incrementAndGet);
    Scheduler lane = environment.lanes().lane("generate");
    long max = request.stopConditions().maxTokens();
    int context = request.tokenIds().length();
    lane.execute(() -> step(lane, sink, context, context, context + (int) max));
  }

  private void step(
      Scheduler lane, ResponseSink<LLMEngineOutput> sink, int start, int context, int end) {
    if (stuck && context > start) {
      return;
    }
    TokenSlice token = TokenSlice.of(1_000 + context % 1_000);
    if (context + 1 >= end) {
      sink.next(LLMEngineOutput.last(token, FinishReason.LENGTH));
      sink.complete();
    } else if (sink.next(LLMEngineOutput.of(token))) {
      lane.schedule(() -> step(lane, sink, start, context + 1, end), TOKEN_NANOS);
    }
  }

  /** Returns the ranks that requests were meant for. */
  Set<WorkerWithDpRank> ranks() {
    return ranks;
  }

  int requestCount() {
    return requests.get();
  }

  int cancelCount() {
    return cancels.get();
  }

  /** Says one token to each request and no more: it cannot get done before it crashes. */
  void stopAfterFirstToken() {
    stuck = true;
  }

  /** As the end of the process: connections break, records stay. */
  void crash() {
    served.abort();
  }

  @Override
  public void close() {
    registration.close();
    discovery.close();
    plane.close();
    threads.close();
  }
}
