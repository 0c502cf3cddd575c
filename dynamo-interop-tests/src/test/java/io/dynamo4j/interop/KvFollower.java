// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.PlaneSelection;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsRequestPlane;
import io.dynamo4j.transport.nats.NatsTransport;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.dynamo4j.transport.zmq.ZmqTransport;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RecoveryResponseCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A router's index over whatever is registered in a folder: it follows events over ZMQ or NATS and
 * asks workers for what it missed.
 */
final class KvFollower implements AutoCloseable {
  static final int BLOCK_SIZE = 16;
  static final EventScope.Endpoint GENERATE =
      new EventScope.Endpoint("dynamo", "backend", "generate");

  private static final BlockHasher HASHER = BlockHasher.of(BlockHashOptions.of(BLOCK_SIZE));
  private static final long PATIENCE_SECONDS = 60;

  private final RealEnvironment threads = RealEnvironment.create();
  private final Environment environment = threads.environment();
  private final FileDiscovery discovery;
  private final Deque<AutoCloseable> transports = new ArrayDeque<>();
  private final LossyEvents events;
  private final RequestPlane<PreprocessedRequest, LLMEngineOutput> requests;
  private final RequestPlane<byte[], byte[]> queries;
  private final KvIndexer indexer;
  private final KvEventFeed feed;

  /** Follows over ZMQ, asks over TCP. */
  KvFollower(Path root) {
    this(root, PlaneSelection.ofDefaults(), Map.of());
  }

  /** Follows and asks over the planes of a fleet. */
  KvFollower(Path root, PlaneSelection planes, Map<String, String> variables) {
    discovery =
        FileDiscovery.builder(environment, root)
            .namespace(GENERATE.namespace())
            .component(GENERATE.component())
            .scanInterval(Duration.ofMillis(100))
            .build();
    if (planes.needsNats()) {
      NatsTransport nats =
          NatsTransport.create(environment, NatsOptions.fromEnvironment(variables));
      transports.push(nats);
      events = new LossyEvents(NatsEventPlane.builder(nats).build());
      requests = NatsRequestPlane.builder(PayloadCodec.generate(), nats).build();
      queries = NatsRequestPlane.builder(PayloadCodec.raw(), nats).build();
    } else {
      ZmqTransport zmq = ZmqTransport.create(environment);
      transports.push(zmq);
      events = new LossyEvents(ZmqEventPlane.direct(zmq, discovery.eventChannels()).build());
      requests = TcpRequestPlane.builder(PayloadCodec.generate(), environment).build();
      queries = TcpRequestPlane.builder(PayloadCodec.raw(), environment).build();
    }
    indexer = KvIndexer.builder().environment(environment).blockSize(BLOCK_SIZE).build();
    feed = feed(indexer);
  }

  /** Feeds an index as this router's own is fed; the caller closes the feed. */
  KvEventFeed feed(KvIndexer index) {
    return KvEventFeed.builder()
        .eventPlane(events, GENERATE)
        .directory(discovery.workers())
        .indexer(index)
        .environment(environment)
        .recovery(queries, discovery::recoveryTarget)
        .connect();
  }

  Environment environment() {
    return environment;
  }

  FileDiscovery discovery() {
    return discovery;
  }

  RequestPlane<byte[], byte[]> queries() {
    return queries;
  }

  RequestPlane<PreprocessedRequest, LLMEngineOutput> requests() {
    return requests;
  }

  EventPlane events() {
    return events;
  }

  KvIndexer indexer() {
    return indexer;
  }

  /** Loses every event from now on, or no more. */
  void lose(boolean all) {
    events.lose(all);
  }

  /** Returns the events lost so far. */
  int lost() {
    return events.lost();
  }

  void awaitWorkers(int count) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
        .until(() -> discovery.workers().instances().size() == count);
  }

  /** Sends a prompt to one worker. */
  Answer send(WorkerInstance worker, String id, int[] prompt, int maxTokens) {
    PreprocessedRequest request =
        PreprocessedRequest.builder(id, TokenSlice.wrap(prompt))
            .model("tiny")
            .stopConditions(StopConditions.builder().maxTokens(maxTokens).ignoreEos(true).build())
            .build();
    Attempt attempt = Attempt.builder(id, environment.lanes().lane("client")).build();
    return Answer.of(requests.send(worker, request, attempt));
  }

  static long[] hashes(int[] prompt) {
    return HASHER.hash(TokenSlice.wrap(prompt));
  }

  /** Returns what the index says of a prompt. */
  SortedMap<WorkerWithDpRank, Integer> overlap(long[] hashes) {
    OverlapScores scores = OverlapScores.create();
    indexer.findMatches(hashes, hashes.length, scores);
    return byRank(scores);
  }

  static SortedMap<WorkerWithDpRank, Integer> byRank(OverlapScores scores) {
    SortedMap<WorkerWithDpRank, Integer> byRank = new TreeMap<>();
    for (int i = 0; i < scores.size(); i++) {
      byRank.put(scores.worker(i), scores.depth(i));
    }
    return byRank;
  }

  /** Returns the hashes that the index believes each rank to hold, in order. */
  Map<WorkerWithDpRank, String> held() throws Exception {
    return held(indexer);
  }

  /** Returns the same of another index. */
  Map<WorkerWithDpRank, String> held(KvIndexer indexer) throws Exception {
    SortedMap<WorkerWithDpRank, String> held = new TreeMap<>();
    long blocks = 0;
    for (WorkerInstance worker : discovery.workers().instances()) {
      for (int index = 0; index < worker.dpSize(); index++) {
        WorkerWithDpRank rank = worker.rank(index);
        long[] hashes =
            indexer
                .heldHashes(rank)
                .toCompletableFuture()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .orElseThrow();
        held.put(rank, text(hashes));
        blocks += hashes.length;
      }
    }
    held.put(new WorkerWithDpRank(-1, 0), "of others: " + (indexer.status().blocks() - blocks));
    return held;
  }

  /** Asks the workers for what each rank holds; null while one does not answer. */
  @Nullable Map<WorkerWithDpRank, String> dumped() throws Exception {
    SortedMap<WorkerWithDpRank, String> dumped = new TreeMap<>();
    for (WorkerInstance worker : discovery.workers().instances()) {
      for (int index = 0; index < worker.dpSize(); index++) {
        WorkerWithDpRank rank = worker.rank(index);
        WorkerInstance target = discovery.recoveryTarget(worker, rank);
        byte[] query = RecoveryQuery.ofEverything(rank).encode();
        byte[] answer = target == null ? null : FirstItem.of(queries, target, query, environment);
        if (answer == null
            || !(RecoveryResponseCodec.decode(answer) instanceof RecoveryResponse.TreeDump dump)) {
          return null;
        }
        RadixTree tree = RadixTree.create(1);
        dump.events().events().forEach(tree::apply);
        LongStream.Builder hashes = LongStream.builder();
        tree.forEachHash(rank, hashes);
        dumped.put(rank, text(hashes.build().toArray()));
      }
    }
    dumped.put(new WorkerWithDpRank(-1, 0), "of others: 0");
    return dumped;
  }

  private static String text(long[] hashes) {
    return LongStream.of(hashes).sorted().mapToObj(Long::toHexString).toList().toString();
  }

  /** Waits until the index holds for each worker that is there what the worker says, no more. */
  void awaitEqualToDumps() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(2 * PATIENCE_SECONDS))
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(
            () -> {
              Map<WorkerWithDpRank, String> dumped = dumped();
              assertThat(dumped).isNotNull();
              assertThat(held()).isEqualTo(dumped);
            });
    assertThat(indexer.status().blocks()).isPositive();
  }

  @Override
  public void close() {
    feed.close();
    indexer.close();
    events.close();
    queries.close();
    requests.close();
    transports.forEach(KvFollower::close);
    discovery.close();
    threads.close();
  }

  private static void close(AutoCloseable transport) {
    try {
      transport.close();
    } catch (Exception e) {
      throw new IllegalStateException("transport cannot be closed", e);
    }
  }
}
