// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.instance;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Every part of a router as a host's own, of some twenty lines; and the library's, each without a
 * router. {@code CustomPartsTest} does the same with selectors.
 */
class HostPartsTest {
  private static final KvRouterConfig CONFIG = KvRouterConfig.ofDefaults();
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");

  private final RouterFixture fixture = new RouterFixture(4);

  /* --------------- A host's own --------------- */

  /** Workers that are written down. */
  private static final class WrittenDown implements WorkerDirectory {
    private final List<WorkerInstance> workers;

    WrittenDown(long... ids) {
      List<WorkerInstance> list = new ArrayList<>();
      for (long id : ids) {
        list.add(instance(id).build());
      }
      this.workers = List.copyOf(list);
    }

    @Override
    public List<WorkerInstance> instances() {
      return workers;
    }

    @Override
    public Subscription watch(Scheduler lane, Listener listener) {
      workers.forEach(worker -> lane.execute(() -> listener.added(worker)));
      return () -> {};
    }
  }

  /** Counts requests, and nothing of what they hold. */
  private static final class RequestCounter implements ActiveBlockTracker {
    private final Map<BookingKey, Booking> booked = new HashMap<>();

    @Override
    public void book(Booking booking) {
      booked.put(booking.key(), booking);
    }

    @Override
    public boolean markPrefillCompleted(Booking booking) {
      return false;
    }

    @Override
    public boolean addOutputBlock(Booking booking) {
      return booked.containsValue(booking);
    }

    @Override
    public boolean addOutputBlock(Booking booking, double remaining) {
      return booked.containsValue(booking);
    }

    @Override
    public boolean free(Booking booking) {
      return booked.remove(booking.key(), booking);
    }

    @Override
    public void removeRank(WorkerWithDpRank rank) {
      booked.values().removeIf(booking -> booking.worker().equals(rank));
    }

    @Override
    public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
      for (int row = 0; row < candidates.size(); row++) {
        candidates.setLoad(row, 0, 0, 0, load(candidates.worker(row)).requests());
      }
    }

    @Override
    public WorkerLoad load(WorkerWithDpRank worker) {
      var here = booked.values().stream().filter(booking -> booking.worker().equals(worker));
      return new WorkerLoad(0, 0, (int) here.count());
    }

    @Override
    public int bookingCount() {
      return booked.size();
    }
  }

  /** Hands every envelope to every subscriber of its topic. */
  private static final class Loopback implements EventPlane {
    private final Map<String, List<Consumer<EventEnvelope>>> handlers = new HashMap<>();

    @Override
    public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
      return new EventPublisher() {
        private long next;

        @Override
        public long publish(byte[] payload) {
          EventEnvelope envelope = EventEnvelope.of(publisherId, next++, 0, topic, payload);
          handlers.getOrDefault(topic, List.of()).forEach(handler -> handler.accept(envelope));
          return envelope.sequence();
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      handlers
          .computeIfAbsent(topic, any -> new ArrayList<>())
          .add(envelope -> lane.execute(() -> handler.accept(envelope)));
      return new EventSubscription() {
        @Override
        public long droppedCount() {
          return 0;
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {}
  }

  @Test
  void shouldRouteToWorkersThatAHostsDirectoryNames() {
    KvRouter router = fixture.builder().directory(new WrittenDown(7, 8)).build();

    assertThat(router.trySelect(request("a", tokens(0, 8))).worker().workerId()).isIn(7L, 8L);
    assertThat(router.trySelect(request("b", tokens(0, 8))).worker().workerId()).isIn(7L, 8L);
    assertThat(router.load(worker(7)).requests()).isEqualTo(1);
  }

  @Test
  void shouldAskAHostsIndex() {
    fixture.indexer.hold(worker(3), 2);

    RequestLease lease = fixture.router().trySelect(request("r", tokens(0, 8)));

    assertThat(lease.worker()).isEqualTo(worker(3));
    assertThat(lease.selection().cachedTokens()).isEqualTo(8);
    assertThat(fixture.indexer.lookups()).isEqualTo(1);
  }

  @Test
  void shouldKeepItsBooksWhereAHostKeepsThem() {
    RequestCounter counter = new RequestCounter();
    KvRouter router =
        fixture
            .builder()
            .tracker(counter)
            .config(KvRouterConfig.builder().decodeActiveRequestWeight(10).build())
            .build();

    List<RequestLease> leases = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      leases.add(router.trySelect(request("r" + i, tokens(0, 8))));
    }

    for (int id = 1; id <= 4; id++) {
      assertThat(counter.load(worker(id)).requests()).isEqualTo(2);
    }
    leases.forEach(RequestLease::close);
    assertThat(counter.bookingCount()).isZero();
  }

  @Test
  void shouldDrawByAHostsPicker() {
    WorkerPicker last = (costs, count, random) -> count - 1;
    KvRouter router =
        fixture
            .builder()
            .selector(DefaultWorkerSelector.builder(CONFIG).picker(last).build())
            .build();

    for (int i = 0; i < 5; i++) {
      assertThat(router.trySelect(request("r" + i, tokens(0, 80))).worker()).isEqualTo(worker(4));
    }
  }

  @Test
  void shouldMeetOtherRoutersOnAHostsPlane() {
    Simulation simulation = Simulation.builder().seed(1).build();
    Loopback plane = new Loopback();
    WorkerDirectory directory = new WrittenDown(1, 2);
    List<KvRouter> routers = new ArrayList<>();
    for (String node : List.of("a", "b")) {
      Environment environment = simulation.environment(node);
      routers.add(
          KvRouter.builder()
              .environment(environment)
              .directory(directory)
              .indexer(new FakeIndexer(RouterFixture.BLOCK))
              .replicaSync(plane, SCOPE)
              .build());
    }
    simulation.runFor(1_000_000_000);

    RequestLease first = routers.get(0).trySelect(request("a", tokens(0, 40)));
    simulation.runFor(1_000_000);
    RequestLease second = routers.get(1).trySelect(request("b", tokens(900, 40)));
    simulation.runFor(1_000_000);

    assertThat(second.worker()).isNotEqualTo(first.worker());
    assertThat(routers.get(0).load(second.worker()))
        .isEqualTo(routers.get(1).load(second.worker()));
    routers.forEach(KvRouter::close);
  }

  /* --------------- The library's, each alone --------------- */

  @Test
  void shouldPriceDrawAndSelectWithoutARouter() {
    WorkerCandidates rows = WorkerCandidates.create();
    rows.reset(8, 4, 2, true);
    rows.setLoad(rows.add(worker(1), 0, 0, 0), 0, 2, 2, 1);
    rows.setLoad(rows.add(worker(2), 2, 0, 0), 0, 0, 2, 0);
    SchedulingRequest request = request("r", tokens(0, 8));
    KvWorkerScorer scorer = KvWorkerScorer.of(CONFIG);
    double[] costs = {scorer.cost(request, rows, 0), scorer.cost(request, rows, 1)};

    assertThat(costs[1]).isLessThan(costs[0]);
    assertThat(TemperaturePicker.of(0).pick(costs, 2, RandomSource.seeded(1))).isEqualTo(1);
    assertThat(DefaultWorkerSelector.of(CONFIG).select(request, rows, RandomSource.seeded(1)))
        .isNotNull()
        .extracting(WorkerSelectionResult::worker)
        .isEqualTo(worker(2));
  }

  @Test
  void shouldKeepBooksWithoutARouter() {
    ActiveBlockTracker tracker = ActiveBlockTracker.create(1);
    Booking one = Booking.of(new BookingKey("a", 0), worker(1), new long[] {5, 6}, 2, 8);
    Booking two = Booking.of(new BookingKey("b", 0), worker(1), new long[] {5, 7}, 2, 4);

    tracker.book(one);
    tracker.book(two);

    assertThat(tracker.load(worker(1))).isEqualTo(new WorkerLoad(12, 3, 2));
    assertThat(tracker.free(one)).isTrue();
    assertThat(tracker.load(worker(1))).isEqualTo(new WorkerLoad(4, 2, 1));
  }

  @Test
  void shouldAskAnIndexAndJudgeLoadWithoutARouter() {
    FakeIndexer index = new FakeIndexer(4);
    index.hold(worker(1), 3);
    OverlapScores scores = OverlapScores.create();
    index.findMatches(new long[5], 5, scores);
    LoadMonitor monitor = LoadMonitor.create(() -> 0);
    monitor.thresholds(LoadThresholds.builder().activePrefillTokens(7L).build());

    assertThat(scores.depth(0)).isEqualTo(3);
    assertThat(monitor.thresholds().activePrefillTokens()).isEqualTo(7);
  }
}
