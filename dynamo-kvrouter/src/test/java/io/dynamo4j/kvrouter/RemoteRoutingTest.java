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
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.remote.IndexService;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.wire.IndexQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A router that keeps no index and asks another one's. */
class RemoteRoutingTest {
  private static final TokenSlice PROMPT = tokens(0, 4 * BLOCK);
  private static final EventScope SCOPE = new EventScope.Endpoint("dynamo", "backend", "generate");
  private static final KvRouterConfig REMOTE =
      KvRouterConfig.builder().useRemoteIndexer(true).build();

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final InMemoryWorkerDirectory servers = InMemoryWorkerDirectory.create();
  private final InMemoryRequestPlane<byte[], byte[]> plane =
      InMemoryRequestPlane.create(simulation.environment("network"));
  private final KvIndexer served =
      KvIndexer.builder().environment(simulation.environment("server")).blockSize(BLOCK).build();
  private final RemoteIndex remote =
      RemoteIndex.of(
          plane, servers, "model", simulation.environment("router"), RemoteIndex.DEFAULT_TIMEOUT);

  RemoteRoutingTest() {
    directory.register(instance(1).build());
    directory.register(instance(2).build());
    long[] locals = BlockHasher.of(BlockHashOptions.of(BLOCK)).hash(PROMPT);
    served.submit(
        RouterEvent.of(
            2,
            StorageTier.DEVICE,
            KvCacheEvent.of(1, 0, KvCacheEventData.Stored.atRoot(locals, locals))));
    simulation.await(served.flush());
  }

  private KvRouterBuilder builder() {
    return KvRouter.builder()
        .environment(simulation.environment("router"))
        .directory(directory)
        .config(REMOTE)
        .remoteIndex(remote)
        .blockSize(BLOCK);
  }

  private IndexService serve() {
    WorkerInstance endpoint =
        WorkerInstance.builder(7, InMemoryRequestPlane.address("index")).build();
    servers.register(endpoint);
    return IndexService.serve(plane, endpoint, servers).add("model", served);
  }

  @Test
  void shouldDecideByWhatTheServedIndexSays() {
    IndexService service = serve();
    KvRouter router = builder().build();
    for (int i = 0; i < 8; i++) {
      try (RequestLease lease = simulation.await(router.select(request("r" + i, PROMPT)))) {
        assertThat(lease.worker()).isEqualTo(worker(2));
        assertThat(lease.selection().effectiveOverlapBlocks()).isEqualTo(4);
      }
    }
    assertThat(service.answeredQueries()).isEqualTo(8);
    assertThat(remote.queries()).isEqualTo(8);
  }

  @Test
  void shouldBookNothingForWhoIsGivenUpWhileTheIndexIsAsked() {
    serve();
    KvRouter router = builder().build();
    CompletableFuture<RequestLease> byFuture =
        router.select(request("a", PROMPT)).toCompletableFuture();
    CompletableFuture<RequestLease> byKey =
        router.select(request("b", PROMPT)).toCompletableFuture();
    CompletableFuture<RequestLease> kept =
        router.select(request("c", PROMPT)).toCompletableFuture();

    byFuture.cancel(false);
    router.cancel(byKeyOf("b"));
    router.cancel(byKeyOf("nobody"));
    simulation.runFor(1_000_000_000);

    assertThat(byKey).isCancelled();
    assertThat(kept).isCompleted();
    assertThat(router.bookingCount()).isEqualTo(1);
    kept.join().close();
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldFreeWhatIsBookedForWhoGivesUpInTheQueueBehindTheLookup() {
    serve();
    KvRouter router = builder().queue(QueueConfig.ofThreshold(0.000_001, QueuePolicy.FCFS)).build();
    List<CompletableFuture<RequestLease>> stages = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      TokenSlice unknown = tokens(1_000 * (i + 1), 4 * BLOCK);
      stages.add(router.select(request("r" + i, unknown)).toCompletableFuture());
    }
    simulation.runFor(1_000_000_000);
    int waiting = router.queueStatus().requests();
    assertThat(waiting).isPositive();

    stages.forEach(stage -> stage.cancel(false));
    simulation.runFor(1_000_000_000);

    assertThat(router.queueStatus().requests()).isZero();
    assertThat(router.bookingCount()).isEqualTo(6 - waiting);
  }

  @Test
  void shouldFailTheStageCountedWhereARequestIsRefusedBeforeTheIndexIsAsked() {
    KvRouter router = builder().build();
    SchedulingRequest wrong =
        SchedulingRequest.builder("a", PROMPT).blockHashes(new long[1], new long[1]).build();
    CompletableFuture<RequestLease> stage = router.select(wrong).toCompletableFuture();
    assertThat(stage).isCompletedExceptionally();
    assertThat(router.refusals().count(RouterRefusals.Kind.INVALID)).isEqualTo(1);
    assertThat(remote.queries()).isZero();
  }

  private static BookingKey byKeyOf(String id) {
    return new BookingKey(id, 0);
  }

  @Test
  void shouldDecideByLoadAloneWhenNobodyAnswersOrNobodyMayBeWaitedFor() {
    KvRouter router = builder().build();
    try (RequestLease first = simulation.await(router.select(request("a", PROMPT)));
        RequestLease second = simulation.await(router.select(request("b", PROMPT)))) {
      assertThat(first.worker()).isNotEqualTo(second.worker());
      assertThat(first.selection().effectiveOverlapBlocks()).isZero();
    }
    assertThat(remote.failures()).isEqualTo(2);
    try (RequestLease now = router.trySelect(request("c", PROMPT))) {
      assertThat(now.selection().effectiveOverlapBlocks()).isZero();
    }
    assertThat(remote.queries()).isEqualTo(2);
  }

  private KvIndexer predictions(int blockSize) {
    return KvIndexer.builder()
        .environment(simulation.environment("router"))
        .blockSize(blockSize)
        .useKvEvents(false)
        .build();
  }

  @Test
  void shouldDecideByItsOwnPredictionsWhenNobodyAnswers() {
    KvRouter router = builder().remoteFallback(predictions(BLOCK)).build();
    WorkerWithDpRank chosen;
    try (RequestLease first = simulation.await(router.select(request("a", PROMPT)))) {
      chosen = first.worker();
      assertThat(first.selection().effectiveOverlapBlocks()).isZero();
    }
    simulation.runFor(1_000_000);
    try (RequestLease second = simulation.await(router.select(request("b", PROMPT)))) {
      assertThat(second.worker()).isEqualTo(chosen);
      assertThat(second.selection().effectiveOverlapBlocks()).isEqualTo(4);
    }
    try (RequestLease now = router.trySelect(request("c", PROMPT))) {
      assertThat(now.selection().effectiveOverlapBlocks()).isEqualTo(4);
    }
    assertThat(remote.failures()).isEqualTo(2);
    assertThat(router.remoteFallbacks()).isEqualTo(2);

    serve();
    try (RequestLease answered = simulation.await(router.select(request("d", PROMPT)))) {
      assertThat(answered.worker()).isEqualTo(worker(2));
    }
    assertThat(router.remoteFallbacks()).isEqualTo(2);
  }

  @Test
  void shouldSendHashesOnlyAndSubscribeToNoEvents() {
    serve();
    CountingPlanes.Requests requests = new CountingPlanes.Requests(plane);
    CountingPlanes.Events events =
        new CountingPlanes.Events(InMemoryEventPlane.create(simulation.environment("events")));
    RemoteIndex counted =
        RemoteIndex.of(
            requests,
            servers,
            "model",
            simulation.environment("router"),
            RemoteIndex.DEFAULT_TIMEOUT);
    KvRouter router =
        KvRouter.builder()
            .environment(simulation.environment("router"))
            .directory(directory)
            .config(REMOTE)
            .remoteIndex(counted)
            .blockSize(BLOCK)
            .replicaSync(events, SCOPE)
            .build();
    for (int i = 0; i < 5; i++) {
      simulation.await(router.select(request("r" + i, PROMPT))).close();
    }
    // The bookings of other routers; nothing that says what workers hold.
    assertThat(events.topics).isNotEmpty().doesNotContain(KvEventFeed.TOPIC);
    assertThat(events.topics).doesNotContain(KvEventFeed.HEADS_TOPIC);
    long[] hashes = BlockHasher.of(BlockHashOptions.of(BLOCK)).hash(PROMPT);
    byte[] expected = IndexQuery.of("model", hashes, false).encode();
    assertThat(requests.sent).hasSize(5).allSatisfy(sent -> assertThat(sent).isEqualTo(expected));
    router.close();

    KvIndexer approximate = predictions(BLOCK);
    assertThatThrownBy(
            () ->
                KvEventFeed.connect(
                    events, SCOPE, directory, approximate, simulation.environment("router")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("takes no events");
    assertThat(events.topics).doesNotContain(KvEventFeed.TOPIC);
    KvEventFeed feed =
        KvEventFeed.connect(events, SCOPE, directory, served, simulation.environment("router"));
    assertThat(events.topics).contains(KvEventFeed.TOPIC);
    assertThatThrownBy(builder().eventFeed(feed)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("eventFeed=set");
  }

  @Test
  void shouldTellAnApproximateServerWhatItDecides() {
    WorkerInstance endpoint =
        WorkerInstance.builder(7, InMemoryRequestPlane.address("index")).build();
    WorkerInstance recorder =
        WorkerInstance.builder(7, InMemoryRequestPlane.address("decisions")).build();
    InMemoryWorkerDirectory recorders = InMemoryWorkerDirectory.create();
    servers.register(endpoint);
    recorders.register(recorder);
    IndexService service =
        IndexService.serve(plane, endpoint, servers)
            .recordDecisions(recorder, recorders)
            .add("model", predictions(BLOCK));
    KvRouter router =
        KvRouter.builder()
            .environment(simulation.environment("router"))
            .directory(directory)
            .config(KvRouterConfig.builder().useRemoteIndexer(true).useKvEvents(false).build())
            .remoteIndex(remote.recordingTo(recorders))
            .blockSize(BLOCK)
            .build();
    WorkerWithDpRank chosen;
    try (RequestLease first = router.trySelect(request("a", PROMPT))) {
      chosen = first.worker();
    }
    simulation.runFor(1_000_000);
    assertThat(service.recordedDecisions()).isEqualTo(1);
    try (RequestLease second = simulation.await(router.select(request("b", PROMPT)))) {
      assertThat(second.worker()).isEqualTo(chosen);
      assertThat(second.selection().effectiveOverlapBlocks()).isEqualTo(4);
    }
    simulation.runFor(1_000_000);
    assertThat(service.recordedDecisions()).isEqualTo(2);
  }

  @Test
  void shouldShowInHealthThatTheServedIndexDoesNotAnswer() {
    IndexService service = serve();
    KvRouter router = builder().remoteFallback(predictions(BLOCK)).build();
    Runnable request =
        () -> simulation.await(router.select(request("r" + simulation.nowNanos(), PROMPT))).close();
    for (int i = 0; i < 5; i++) {
      request.run();
      simulation.runFor(5_000_000_000L);
    }
    assertThat(router.health().findings()).isEmpty();
    service.close();
    for (int i = 0; i < 3; i++) {
      request.run();
      simulation.runFor(5_000_000_000L);
    }
    assertThat(router.health().findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo(HealthKind.REMOTE_INDEX_FAILING);
              assertThat(finding.toString()).contains("failedLookups=1", "answeredByPredictions=1");
            });
    servers.unregister(7);
    plane.close();
  }

  @Test
  void shouldRefuseAFallbackThatIsNone() {
    assertThatThrownBy(builder().remoteFallback(served)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("isApproximate=false");
    assertThatThrownBy(builder().remoteFallback(predictions(2 * BLOCK))::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockSize=" + 2 * BLOCK);
    KvRouterBuilder local =
        KvRouter.builder()
            .environment(simulation.environment("router"))
            .directory(directory)
            .indexer(served)
            .remoteFallback(predictions(BLOCK));
    assertThatThrownBy(local::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("remoteIndex=missing");
  }

  @Test
  void shouldServeItsIndexWhenConfiguredTo() {
    WorkerInstance endpoint =
        WorkerInstance.builder(8, InMemoryRequestPlane.address("index-8")).build();
    servers.register(endpoint);
    KvRouterBuilder serving =
        KvRouter.builder()
            .environment(simulation.environment("server"))
            .directory(directory)
            .config(KvRouterConfig.builder().serveIndexer(true).build())
            .indexer(served);
    assertThatThrownBy(serving::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("indexService=missing");
    try (IndexService service = IndexService.serve(plane, endpoint, servers)) {
      serving.indexService(service, "model").build();
      try (RequestLease lease = simulation.await(builder().build().select(request("a", PROMPT)))) {
        assertThat(lease.worker()).isEqualTo(worker(2));
      }
      assertThat(service.answeredQueries()).isEqualTo(1);
    }
  }

  @Test
  void shouldRefuseByNameWhatContradicts() {
    assertThatThrownBy(KvRouterConfig.builder().useRemoteIndexer(true).serveIndexer(true)::build)
        .hasMessage("use_remote_indexer and serve_indexer are mutually exclusive");
    assertThatThrownBy(KvRouterConfig.builder().serveIndexer(true).overlapScoreCredit(0)::build)
        .hasMessage("serve_indexer requires overlap_score_credit > 0");
    assertThatThrownBy(builder().indexer(served)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("use_remote_indexer=true")
        .hasMessageContaining("indexer=set");
    KvRouterBuilder missing =
        KvRouter.builder()
            .environment(simulation.environment("router"))
            .directory(directory)
            .config(REMOTE)
            .blockSize(BLOCK);
    assertThatThrownBy(missing::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("remoteIndex=missing");
  }
}
