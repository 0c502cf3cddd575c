// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The in-memory planes on real threads, where memory accesses interleave too. */
class PlaneStressTest {
  private static final int ROUNDS = 120;
  private static final int STREAMS = 50;
  private static final int ITEMS = 60;
  private static final int MAX_TURNS = 1_000;

  @Test
  void shouldKeepEveryPromiseWhenLanesRace() {
    try (LaneHarness harness = RealLanes.pooled(4)) {
      for (int round = 0; round < ROUNDS; round++) {
        new Round(harness, RandomSource.seeded(round)).play();
      }
    }
  }

  /** Streams of one endpoint that is closed, aborted or left alone while they run. */
  private static final class Round {
    private final LaneHarness harness;
    private final RandomSource random;
    private final Environment environment;
    private final InMemoryRequestPlane<String, Integer> plane;
    private final List<StreamProbe<Integer>> probes = new ArrayList<>();
    private final List<ProbeLane> lanes = new ArrayList<>();
    private final List<CompletableFuture<Void>> over = new ArrayList<>();
    private final AtomicInteger repeats = new AtomicInteger();

    Round(LaneHarness harness, RandomSource random) {
      this.harness = harness;
      this.random = random;
      this.environment = RequestPlaneRun.environment(harness);
      this.plane =
          InMemoryRequestPlane.<String, Integer>builder(environment)
              .framesSurviveAbort(() -> true)
              .build();
    }

    void play() {
      WorkerInstance worker = WorkerInstance.builder(1, InMemoryRequestPlane.address("w")).build();
      ServedEndpoint endpoint = plane.serve(worker, this::answer);
      for (int i = 0; i < STREAMS; i++) {
        start(worker, i);
      }
      Scheduler breaker = harness.lanes().lane("breaker");
      int fault = random.nextInt(3);
      breaker.schedule(
          () -> {
            if (fault == 0) {
              endpoint.abort();
            } else if (fault == 1) {
              endpoint.close();
            }
          },
          random.nextInt(1_000_000));
      over.forEach(harness::await);
      settle(endpoint);
      for (StreamProbe<Integer> probe : probes) {
        assertThat(probe.violations()).isEmpty();
        List<Integer> items = probe.items();
        assertThat(items)
            .isEqualTo(IntStream.range(0, items.size()).boxed().toList())
            .hasSizeLessThanOrEqualTo(ITEMS);
        if (probe.isCompleted()) {
          assertThat(items).hasSize(ITEMS);
        }
      }
      assertThat(endpoint.openStreamCount()).isZero();
      assertThat(repeats).hasValue(0);
      plane.close();
    }

    /**
     * Waits until cancels that met their stream on its way to the worker have ended it there: each
     * takes a few turns of lanes, of which the client's is one.
     */
    private void settle(ServedEndpoint endpoint) {
      lanes.forEach(this::passThrough);
      for (int turn = 0; turn < MAX_TURNS && endpoint.openStreamCount() > 0; turn++) {
        lanes.forEach(this::passThrough);
      }
    }

    private void passThrough(ProbeLane lane) {
      CompletableFuture<Void> passed = new CompletableFuture<>();
      lane.execute(() -> passed.complete(null));
      harness.await(passed);
    }

    private void answer(String id, String request, ResponseSink<Integer> sink) {
      Scheduler lane = harness.lanes().lane("engine-" + id);
      AtomicInteger inCancel = new AtomicInteger();
      sink.onCancel(
          () -> {
            if (inCancel.incrementAndGet() > 1) {
              repeats.incrementAndGet();
            }
          });
      lane.execute(() -> send(lane, sink, 0));
    }

    private static void send(Scheduler lane, ResponseSink<Integer> sink, int from) {
      int end = Math.min(ITEMS, from + 1 + from % 7);
      for (int i = from; i < end; i++) {
        if (!sink.next(i)) {
          return;
        }
      }
      if (end == ITEMS) {
        sink.complete();
      } else {
        lane.execute(() -> send(lane, sink, end));
      }
    }

    private void start(WorkerInstance worker, int number) {
      ProbeLane lane = ProbeLane.over(harness.lanes().lane("client-" + number));
      lanes.add(lane);
      StreamProbe<Integer> probe = StreamProbe.on(lane);
      probe.initialDemand(1 + random.nextInt(8)).demandPerItem(1);
      Attempt attempt = Attempt.builder(Integer.toString(number), lane).listener(probe).build();
      CompletableFuture<Void> ended = probe.terminated().toCompletableFuture();
      if (random.nextInt(3) == 0) {
        Scheduler other = harness.lanes().lane("canceller-" + number);
        long delay = random.nextInt(500_000);
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        probe
            .subscribed()
            .thenRun(
                () ->
                    other.schedule(
                        () -> {
                          probe.cancel();
                          cancelled.complete(null);
                        },
                        delay));
        ended = cancelled;
      }
      over.add(ended);
      probes.add(probe.to(plane.send(worker, "q", attempt)));
    }
  }

  @Test
  void shouldDeliverOrCountEveryEnvelopeWhenPublishersRace() {
    int publishers = 4;
    int each = 2_000;
    EventScope scope = new EventScope.Namespace("stress");
    try (LaneHarness harness = RealLanes.pooled(4);
        InMemoryEventPlane plane =
            InMemoryEventPlane.create(RequestPlaneRun.environment(harness), 64)) {
      EventProbe probe = new EventProbe(ProbeLane.over(harness.lanes().lane("subscriber")));
      EventSubscription subscription = plane.subscribe(scope, "t", probe.lane, probe);
      EventPublisher publisher = plane.publisher(scope, "t", 1);
      List<CompletableFuture<Void>> done = new ArrayList<>();
      for (int i = 0; i < publishers; i++) {
        Scheduler lane = harness.lanes().lane("publisher-" + i);
        CompletableFuture<Void> finished = new CompletableFuture<>();
        for (int j = 0; j < each; j++) {
          lane.execute(() -> publisher.publish(new byte[1]));
        }
        lane.execute(() -> finished.complete(null));
        done.add(finished);
      }
      done.forEach(harness::await);
      RequestPlaneRun.settle(harness, probe.lane, 1_000_000);
      int all = publishers * each;
      harness.await(probe.received((int) (all - subscription.droppedCount())));
      long[] sequences = probe.sequences(1);
      assertThat(sequences.length + subscription.droppedCount()).isEqualTo(all);
      assertThat(sequences).isSorted().doesNotHaveDuplicates();
      assertThat(probe.violations()).isEmpty();
    }
  }
}
