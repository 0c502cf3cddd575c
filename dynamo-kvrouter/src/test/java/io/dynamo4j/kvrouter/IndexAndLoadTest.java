// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.indexer.source.KvEventSource;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What routers know of caches and what they know of each other's load come over planes of their
 * own: either fails and recovers while the other goes on.
 */
class IndexAndLoadTest {
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");
  private static final int BLOCK = RouterPair.BLOCK;
  private static final long MILLI = RouterPair.MILLI;
  private static final WorkerWithDpRank W1 = worker(1);

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final EventNetwork cacheEvents = new EventNetwork(simulation, 2 * MILLI);
  private final EventNetwork loadEvents = new EventNetwork(simulation, 2 * MILLI);
  private final InMemoryRequestPlane<byte[], byte[]> recovery =
      InMemoryRequestPlane.create(simulation.environment("network"));
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final KvEventSource source;
  private final KvIndexer index =
      KvIndexer.builder().environment(simulation.environment("a")).blockSize(BLOCK).build();
  private final KvEventFeed feed;
  private final KvRouter here;
  private final KvRouter there;
  private int prompts;

  IndexAndLoadTest() {
    WorkerInstance instance =
        WorkerInstance.builder(1, InMemoryRequestPlane.address("worker-1")).build();
    directory.register(instance);
    source =
        KvEventSource.builder(W1, 77)
            .eventPlane(cacheEvents.plane("worker"), SCOPE)
            .environment(simulation.environment("worker"))
            .serveRecovery(recovery, RecoveryTargets.besideWorker(instance, W1))
            .start();
    feed =
        KvEventFeed.builder()
            .eventPlane(cacheEvents.plane("a"), SCOPE)
            .directory(directory)
            .indexer(index)
            .environment(simulation.environment("a"))
            .recovery(recovery, RecoveryTargets.besideWorker())
            .connect();
    here = router("a", index);
    there = router("b", new FakeIndexer(BLOCK));
    simulation.runFor(100 * MILLI);
  }

  private KvRouter router(String node, KvIndexer indexer) {
    return KvRouter.builder()
        .environment(simulation.environment(node))
        .directory(directory)
        .indexer(indexer)
        .leases(LeaseConfig.builder().routerLease(RouterPair.LEASE).build())
        .replicaSync(loadEvents.plane(node), SCOPE)
        .build();
  }

  /** The worker caches a prompt that nobody has seen; returns it. */
  private TokenSlice cached() {
    TokenSlice prompt = tokens(1_000 * ++prompts, 2 * BLOCK);
    long[] locals = BlockHasher.of(BlockHashOptions.of(BLOCK)).hash(prompt);
    source.publish(StorageTier.DEVICE, List.of(KvCacheEventData.Stored.atRoot(locals, locals)));
    return prompt;
  }

  private int overlap(TokenSlice prompt) {
    long[] locals = BlockHasher.of(BlockHashOptions.of(BLOCK)).hash(prompt);
    return index.depthOf(W1, locals, locals.length, OverlapScores.create());
  }

  private long requestsSeenHere() {
    return here.load(W1).requests();
  }

  @Test
  void shouldSeeLoadWhileCacheEventsAreLostAndCachesAgainAfterwards() {
    cacheEvents.disturb(1, 0, 0);
    TokenSlice unheard = cached();
    RequestLease lease = there.trySelect(request("r1", tokens(0, 9)));
    simulation.runFor(50 * MILLI);
    assertThat(overlap(unheard)).isZero();
    assertThat(requestsSeenHere()).isEqualTo(1);

    cacheEvents.calm();
    simulation.runFor(5_000 * MILLI);
    assertThat(overlap(unheard)).isEqualTo(2);
    assertThat(feed.progress().done()).isEqualTo(1);
    assertThat(requestsSeenHere()).isEqualTo(1);
    lease.close();
    simulation.runFor(50 * MILLI);
    assertThat(requestsSeenHere()).isZero();
  }

  @Test
  void shouldSeeCachesWhileLoadIsLostAndLoadAgainAfterwards() {
    loadEvents.disturb(1, 0, 0);
    RequestLease lease = there.trySelect(request("r1", tokens(0, 9)));
    TokenSlice heard = cached();
    simulation.runFor(50 * MILLI);
    assertThat(requestsSeenHere()).isZero();
    assertThat(overlap(heard)).isEqualTo(2);
    assertThat(feed.progress().done()).isEqualTo(1);

    loadEvents.calm();
    simulation.runFor(10_000 * MILLI);
    assertThat(requestsSeenHere()).isEqualTo(1);
    assertThat(overlap(heard)).isEqualTo(2);
    lease.close();
    simulation.runFor(50 * MILLI);
    assertThat(requestsSeenHere()).isZero();
  }
}
