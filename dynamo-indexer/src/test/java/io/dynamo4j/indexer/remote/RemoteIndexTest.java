// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RoutingDecision;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RemoteIndexTest {
  private static final WorkerWithDpRank W = new WorkerWithDpRank(9, 1);

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final InMemoryRequestPlane<byte[], byte[]> plane =
      InMemoryRequestPlane.create(simulation.environment("network"));
  private final InMemoryWorkerDirectory servers = InMemoryWorkerDirectory.create();
  private final RemoteIndex remote =
      RemoteIndex.of(
          plane, servers, "model", simulation.environment("consumer"), RemoteIndex.DEFAULT_TIMEOUT);

  private static WorkerInstance endpoint(long id) {
    return WorkerInstance.builder(id, InMemoryRequestPlane.address("index-" + id)).build();
  }

  private KvIndexer index(boolean useKvEvents) {
    return KvIndexer.builder()
        .environment(simulation.environment("server"))
        .blockSize(16)
        .useKvEvents(useKvEvents)
        .build();
  }

  private KvIndexer filled() {
    KvIndexer index = index(true);
    long[] device = {1, 2};
    long[] host = {3};
    index.submit(event(StorageTier.DEVICE, KvCacheEventData.Stored.atRoot(device, device)));
    index.submit(event(StorageTier.HOST_PINNED, KvCacheEventData.Stored.under(2, host, host)));
    simulation.await(index.flush());
    return index;
  }

  private static RouterEvent event(StorageTier tier, KvCacheEventData data) {
    return RouterEvent.of(W.workerId(), tier, KvCacheEvent.of(1, W.dpRank(), data));
  }

  private IndexService serve(long id, KvIndexer index) {
    servers.register(endpoint(id));
    return IndexService.serve(plane, endpoint(id), servers).add("model", index);
  }

  @Test
  void shouldAnswerAsTheServedIndexWould() {
    IndexService service = serve(1, filled());
    TieredOverlap found = simulation.await(remote.findMatches(new long[] {1, 2, 3, 4}));
    assertThat(found.device().depthOf(W)).isEqualTo(2);
    assertThat(found.of(StorageTier.HOST_PINNED).depthOf(W)).isEqualTo(1);
    TieredOverlap none = simulation.await(remote.findMatches(new long[] {5}));
    assertThat(none.device().size()).isZero();
    assertThat(service.answeredQueries()).isEqualTo(2);
    assertThat(remote.queries()).isEqualTo(2);
    assertThat(remote.retries()).isZero();
  }

  @Test
  void shouldSpreadOverServersAndRetryOnceOnAnother() {
    KvIndexer index = filled();
    IndexService first = serve(1, index);
    IndexService second = serve(2, index);
    for (int i = 0; i < 10; i++) {
      simulation.await(remote.findMatches(new long[] {1}));
    }
    assertThat(first.answeredQueries()).isEqualTo(5);
    assertThat(second.answeredQueries()).isEqualTo(5);
    first.close();
    for (int i = 0; i < 10; i++) {
      assertThat(simulation.await(remote.findMatches(new long[] {1})).device().size()).isEqualTo(1);
    }
    assertThat(remote.failures()).isZero();
    assertThat(remote.retries()).isPositive();
  }

  @Test
  void shouldFailTheLookupWhenNobodyAnswers() {
    assertThatThrownBy(() -> simulation.await(remote.findMatches(new long[] {1})))
        .rootCause()
        .isInstanceOfSatisfying(
            DynamoException.class, e -> assertThat(e.errorType()).isEqualTo(ErrorType.UNAVAILABLE));
    servers.register(endpoint(1));
    plane.serve(endpoint(1), (requestId, query, sink) -> {}); // takes it and says nothing
    long before = simulation.nowNanos();
    assertThatThrownBy(() -> simulation.await(remote.findMatches(new long[] {1})))
        .rootCause()
        .isInstanceOf(DynamoException.class);
    assertThat(simulation.nowNanos() - before)
        .isLessThanOrEqualTo(3 * RemoteIndex.DEFAULT_TIMEOUT.toNanos());
    assertThat(remote.failures()).isEqualTo(2);
    assertThat(remote.retries()).isEqualTo(1);
  }

  @Test
  void shouldRefuseModelsThatAreNotServedAndUnreadableQueries() {
    servers.register(endpoint(1));
    IndexService service = IndexService.serve(plane, endpoint(1), servers).add("other", filled());
    assertThatThrownBy(() -> simulation.await(remote.findMatches(new long[] {1})))
        .rootCause()
        .hasMessageContaining("served indexer model model is not registered");
    assertThat(service.refusedQueries()).isEqualTo(2);
    servers.unregister(1);
    servers.register(endpoint(2));
    plane.serve(
        endpoint(2),
        (requestId, query, sink) -> {
          sink.next("junk".getBytes(StandardCharsets.UTF_8));
          sink.complete();
        });
    assertThatThrownBy(() -> simulation.await(remote.findMatches(new long[] {1})))
        .rootCause()
        .isInstanceOf(DynamoException.class);
  }

  private static RoutingDecision decision(long... hashes) {
    return RoutingDecision.of(W, 0, hashes, hashes);
  }

  private static WorkerInstance recorder(long id) {
    return WorkerInstance.builder(id, InMemoryRequestPlane.address("record-" + id)).build();
  }

  @Test
  void shouldLearnFromDecisionsOfThoseThatAskWhereTheServedIndexIsApproximate() {
    InMemoryWorkerDirectory recorders = InMemoryWorkerDirectory.create();
    servers.register(endpoint(1));
    recorders.register(recorder(1));
    IndexService service =
        IndexService.serve(plane, endpoint(1), servers)
            .recordDecisions(recorder(1), recorders)
            .add("model", index(false));
    RemoteIndex telling = remote.recordingTo(recorders);
    assertThat(remote.recordsDecisions()).isFalse();
    assertThat(telling.recordsDecisions()).isTrue();

    telling.record(decision(1, 2, 3));
    simulation.runFor(1_000_000);
    assertThat(service.recordedDecisions()).isEqualTo(1);
    assertThat(telling.recordedDecisions()).isEqualTo(1);
    TieredOverlap found = simulation.await(telling.findMatches(new long[] {1, 2, 9}));
    assertThat(found.device().depthOf(W)).isEqualTo(2);

    service.close();
    telling.record(decision(4));
    simulation.runFor(2 * RemoteIndex.DEFAULT_TIMEOUT.toNanos());
    assertThat(telling.recordFailures()).isEqualTo(1);
  }

  @Test
  void shouldTellEveryServerWhosePredictionsGoBesideEvents() {
    InMemoryWorkerDirectory recorders = InMemoryWorkerDirectory.create();
    for (long id = 1; id <= 2; id++) {
      servers.register(endpoint(id));
      recorders.register(recorder(id));
      KvIndexer predicting =
          KvIndexer.builder()
              .environment(simulation.environment("server-" + id))
              .blockSize(16)
              .predictedTtl(Duration.ofSeconds(5))
              .build();
      IndexService.serve(plane, endpoint(id), servers)
          .recordDecisions(recorder(id), recorders)
          .add("model", predicting);
    }
    RemoteIndex telling = remote.recordingTo(recorders);
    telling.record(decision(1, 2));
    simulation.runFor(1_000_000);
    assertThat(telling.recordedDecisions()).isEqualTo(2);
    for (int i = 0; i < 4; i++) {
      assertThat(simulation.await(telling.findMatches(new long[] {1, 2})).device().depthOf(W))
          .isEqualTo(2);
    }
  }

  @Test
  void shouldRefuseDecisionsThatNobodyLearnsFrom() {
    InMemoryWorkerDirectory recorders = InMemoryWorkerDirectory.create();
    recorders.register(recorder(1));
    IndexService service =
        IndexService.serve(plane, endpoint(1), servers).recordDecisions(recorder(1), recorders);
    RemoteIndex telling = remote.recordingTo(recorders);
    telling.record(decision(1)); // no such model
    simulation.runFor(1_000_000);
    service.add("model", filled());
    telling.record(decision(1)); // events alone
    simulation.runFor(1_000_000);
    assertThat(service.refusedQueries()).isEqualTo(2);
    assertThat(service.recordedDecisions()).isZero();
    assertThat(telling.recordFailures()).isEqualTo(2);
    assertThatThrownBy(() -> service.recordDecisions(recorder(3), recorders))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("models=[model]");
  }

  @Test
  void shouldRefuseASecondApproximateServerByItsEndpointForDecisions() {
    InMemoryWorkerDirectory recorders = InMemoryWorkerDirectory.create();
    recorders.register(recorder(5));
    IndexService second =
        IndexService.serve(plane, endpoint(2), servers).recordDecisions(recorder(2), recorders);
    assertThatThrownBy(() -> second.add("model", index(false)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("an approximate index must be the only one served: model=model, other=5");
  }

  @Test
  void shouldRefuseByNameWhatWouldAnswerByChance() {
    IndexService service = serve(1, filled());
    assertThatThrownBy(() -> service.add("model", filled()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("model is served already: model=model");
    KvIndexer approximate = index(false);
    assertThatThrownBy(() -> service.add("second", approximate))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("served together: model=second");
    servers.register(endpoint(2));
    IndexService other = IndexService.serve(plane, endpoint(2), servers);
    assertThatThrownBy(() -> other.add("model", approximate))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("an approximate index must be the only one served: model=model, other=1");
    servers.unregister(1);
    other.add("model", approximate);
    assertThatThrownBy(
            () -> RemoteIndex.of(plane, servers, "m", simulation.environment("c"), Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
