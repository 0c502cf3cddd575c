// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.BLOCK;
import static io.dynamo4j.kvrouter.RouterFixture.instance;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.indexer.source.KvEventSource;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.fault.FaultyRequestPlane;
import io.dynamo4j.testkit.fault.StreamFault;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a host wires by its configuration, and what of it is never made, asked or hashed. */
class WithoutEventsTest {
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");
  private static final long SECOND = 1_000_000_000L;

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final CountingPlane events =
      new CountingPlane(InMemoryEventPlane.create(simulation.environment("network")));
  private final InMemoryRequestPlane<byte[], byte[]> recovery =
      InMemoryRequestPlane.create(simulation.environment("network"));
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final KvEventSource source;
  private @Nullable KvIndexer index;
  private int queries;

  WithoutEventsTest() {
    WorkerInstance instance = instance(1).totalKvBlocks(64).build();
    directory.register(instance);
    directory.register(instance(2).totalKvBlocks(64).build());
    source =
        KvEventSource.builder(worker(1), 7)
            .eventPlane(events, SCOPE)
            .environment(simulation.environment("worker"))
            .serveRecovery(recovery, RecoveryTargets.besideWorker(instance, worker(1)))
            .start();
  }

  /** Wires a router as hosts do: an index only where overlap counts, a feed only with events. */
  private KvRouter wire(KvRouterConfig config) {
    KvRouterBuilder builder =
        KvRouter.builder()
            .environment(simulation.environment("router"))
            .directory(directory)
            .config(config)
            .blockSize(BLOCK);
    if (config.needsEventFeed()) {
      index = config.indexer().environment(simulation.environment("a")).blockSize(BLOCK).build();
      KvEventFeed feed =
          KvEventFeed.builder()
              .eventPlane(events, SCOPE)
              .directory(directory)
              .indexer(index)
              .environment(simulation.environment("a"))
              .recovery(
                  FaultyRequestPlane.over(
                      recovery,
                      (target, attempt) -> {
                        queries++;
                        return StreamFault.none();
                      },
                      RandomSource.seeded(1)),
                  RecoveryTargets.besideWorker())
              .connect();
      builder.indexer(index).eventFeed(feed);
    }
    KvRouter router = builder.build();
    simulation.runFor(SECOND);
    return router;
  }

  /** The worker caches a prompt and says so. */
  private void cache(TokenSlice prompt) {
    long[] locals = BlockHasher.of(BlockHashOptions.of(BLOCK)).hash(prompt);
    source.publish(StorageTier.DEVICE, List.of(KvCacheEventData.Stored.atRoot(locals, locals)));
    simulation.runFor(SECOND);
  }

  @Test
  void shouldMakeAndAskAndHashNothingWithoutCredit() {
    TokenSlice prompt = tokens(0, 4 * BLOCK);
    KvRouterConfig config = KvRouterConfig.fromMap(Map.of("overlap_score_credit", 0));

    try (KvRouter router = wire(config)) {
      cache(prompt);
      for (int i = 0; i < 20; i++) {
        router.trySelect(request("r" + i, prompt)).close();
      }

      assertThat(config.needsEventFeed()).isFalse();
      assertThat(Optional.ofNullable(index)).isEmpty();
      assertThat(router.indexer()).isEmpty();
      assertThat(events.subscriptions).isEmpty();
      assertThat(queries).isZero();
      assertThat(router.query(request("q", prompt)).effectiveOverlapBlocks()).isZero();
    }
  }

  @Test
  void shouldNotAskAnIndexThatIsThereAllTheSame() {
    RouterFixture fixture = new RouterFixture(2);
    fixture.indexer.hold(worker(2), 4);
    KvRouter router =
        fixture.builder().config(KvRouterConfig.builder().overlapScoreCredit(0).build()).build();

    router.trySelect(request("r", tokens(0, 4 * BLOCK))).close();

    assertThat(fixture.indexer.lookups()).isZero();
    assertThat(router.indexer()).isEmpty();
  }

  @Test
  void shouldHashNoPromptWhereNothingNeedsIt() {
    PromptLookup lookup =
        new PromptLookup(
            KvRouterConfig.loadAware(), new FakeIndexer(BLOCK), null, null, BLOCK, null);

    Prompt prompt = lookup.lookUp(request("r", tokens(0, 4 * BLOCK)));

    assertThat(prompt.sequenceHashes()).isEmpty();
    assertThat(prompt.localHashes()).isEmpty();
    assertThat(prompt.overlap()).isNull();
  }

  @Test
  void shouldRefuseToServeAnIndexWithoutCredit() {
    KvRouterConfigBuilder config =
        KvRouterConfig.builder().overlapScoreCredit(0).serveIndexer(true);

    assertThatThrownBy(config::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("serve_indexer requires overlap_score_credit > 0");
  }

  @Test
  void shouldKeepAnIndexAndHearNobodyWithEventsOff() {
    TokenSlice cached = tokens(0, 4 * BLOCK);
    TokenSlice decided = tokens(1_000, 4 * BLOCK);
    KvRouterConfig config = KvRouterConfig.builder().useKvEvents(false).build();

    try (KvRouter router = wire(config)) {
      cache(cached);
      router.trySelect(request("r", decided)).close();
      simulation.runFor(1);

      assertThat(config.needsEventFeed()).isFalse();
      assertThat(router.indexer()).isPresent();
      assertThat(events.subscriptions).isEmpty();
      assertThat(queries).isZero();
      assertThat(router.query(request("q", cached)).effectiveOverlapBlocks()).isZero();
      assertThat(router.query(request("q", decided)).effectiveOverlapBlocks()).isEqualTo(4);
      assertThat(events.published).as("what workers say all the same").isPositive();
    }
  }

  @Test
  void shouldHearWorkersWithTheDefaults() {
    TokenSlice cached = tokens(0, 4 * BLOCK);

    try (KvRouter router = wire(KvRouterConfig.ofDefaults())) {
      cache(cached);

      assertThat(events.subscriptions).contains(KvEventFeed.TOPIC);
      assertThat(router.query(request("q", cached)).effectiveOverlapBlocks()).isEqualTo(4);
      assertThat(queries).isPositive();
    }
  }

  /** Notes who listens to what and how much is said. */
  private static final class CountingPlane implements EventPlane {
    private final EventPlane plane;
    final List<String> subscriptions = new ArrayList<>();
    int published;

    CountingPlane(EventPlane plane) {
      this.plane = plane;
    }

    @Override
    public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
      EventPublisher publisher = plane.publisher(scope, topic, publisherId);
      return new EventPublisher() {
        @Override
        public long publish(byte[] payload) {
          published++;
          return publisher.publish(payload);
        }

        @Override
        public void close() {
          publisher.close();
        }
      };
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      subscriptions.add(topic);
      return plane.subscribe(scope, topic, lane, handler);
    }

    @Override
    public void close() {
      plane.close();
    }
  }
}
