// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.kvrouter.PoolDispatcher;
import io.dynamo4j.kvrouter.PoolPolicy;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.TypedMigratorBuilder;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpOptions;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** A gateway in front of whatever is registered in a folder: discovery, TCP plane, migrator. */
final class FileGateway implements AutoCloseable {
  private static final AtomicInteger REQUESTS = new AtomicInteger();

  private final List<Long> sends = new CopyOnWriteArrayList<>();
  private final RealEnvironment threads = RealEnvironment.create();
  private final Environment environment = threads.environment();
  private final FileDiscovery discovery;
  private final TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> plane;
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;

  FileGateway(Path root) {
    this(root, TcpOptions.ofDefaults(), false);
  }

  /** Joins with bounds on phases, and lets health keep requests from workers that fail. */
  static FileGateway guarded(Path root, TcpOptions options) {
    return new FileGateway(root, options, true);
  }

  private FileGateway(Path root, TcpOptions options, boolean guarded) {
    discovery =
        FileDiscovery.builder(environment, root)
            .namespace("dynamo")
            .scanInterval(Duration.ofMillis(100))
            .build();
    plane = TcpRequestPlane.builder(PayloadCodec.generate(), environment).options(options).build();
    PoolDispatcher.Builder<PreprocessedRequest, LLMEngineOutput> dispatcher =
        PoolDispatcher.builder()
            .policy(PoolPolicy.ROUND_ROBIN)
            .directory(discovery.workers())
            .requestPlane(new Noting(plane, sends))
            .environment(environment);
    TypedMigratorBuilder<PreprocessedRequest, LLMEngineOutput> migrators =
        Migrator.builder()
            .limit(3)
            .maxSeqLen(8192)
            .adapter(ReplayAdapter.preprocessed())
            .environment(environment);
    if (guarded) {
      WorkerHealth health = WorkerHealth.create(environment.lanes().lane("health").clock());
      dispatcher.health(health);
      migrators.health(health);
    }
    migrator = migrators.dispatcher(dispatcher.build()).build();
  }

  /** Returns the ids of the workers that attempts were sent to so far, in order. */
  List<Long> sends() {
    return List.copyOf(sends);
  }

  /** Notes whom requests go to. */
  private record Noting(RequestPlane<PreprocessedRequest, LLMEngineOutput> plane, List<Long> sends)
      implements RequestPlane<PreprocessedRequest, LLMEngineOutput> {
    @Override
    public ResponseStream<LLMEngineOutput> send(
        WorkerInstance target, PreprocessedRequest request, Attempt attempt) {
      sends.add(target.workerId());
      return plane.send(target, request, attempt);
    }

    @Override
    public ServedEndpoint serve(
        WorkerInstance instance, RequestHandler<PreprocessedRequest, LLMEngineOutput> handler) {
      return plane.serve(instance, handler);
    }

    @Override
    public void close() {
      plane.close();
    }
  }

  Environment environment() {
    return environment;
  }

  FileDiscovery discovery() {
    return discovery;
  }

  TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> plane() {
    return plane;
  }

  void awaitWorkers(int count) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> discovery.workers().instances().size() == count);
  }

  static PreprocessedRequest request(int maxTokens) {
    int[] prompt = new int[48];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = 40 + i;
    }
    String id = "interop-" + REQUESTS.incrementAndGet();
    return PreprocessedRequest.builder(id, TokenSlice.wrap(prompt))
        .model("tiny")
        .stopConditions(StopConditions.builder().maxTokens(maxTokens).ignoreEos(true).build())
        .build();
  }

  /** Sends to one worker, without a migrator. */
  ResponseStream<LLMEngineOutput> send(WorkerInstance worker, PreprocessedRequest request) {
    Attempt attempt =
        Attempt.builder(request.requestId(), environment.lanes().lane("client")).build();
    return plane.send(worker, request, attempt);
  }

  ResponseStream<LLMEngineOutput> migrate(PreprocessedRequest request) {
    return migrator.migrate(request);
  }

  @Override
  public void close() {
    migrator.close();
    plane.close();
    discovery.close();
    threads.close();
  }
}
