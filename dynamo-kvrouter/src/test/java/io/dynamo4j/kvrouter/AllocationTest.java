// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.testing.AllocationMeter;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerInstance;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one operation allocates once everything is warm. */
class AllocationTest {
  private static final int BLOCKS = 96;

  private final AllocationMeter meter = AllocationMeter.create();

  @Test
  void shouldAllocateTheHashesAndAConstantForOneDecision() {
    assertThat(bytesPerDecision(64) - 8.0 * BLOCKS).isBetween(16.0, 1_000.0);
  }

  @Test
  void shouldAllocateNoMoreForMoreWorkers() {
    assertThat(bytesPerDecision(128)).isLessThan(bytesPerDecision(8) + 64);
  }

  /** A prompt of 768 blocks, found in the index of each of 64 ranks, decided, booked and freed. */
  @Test
  void shouldAllocateNothingForADecisionButItsLease() {
    assertThat(bytesPerToldDecision(8, 768)).isEqualTo(bytesPerLease());
    assertThat(bytesPerToldDecision(64, 768)).isEqualTo(bytesPerLease());
    assertThat(bytesPerToldDecision(64, 4)).isEqualTo(bytesPerLease());
  }

  private double bytesPerToldDecision(int workers, int blocks) {
    RouterFixture fixture = new RouterFixture(workers);
    KvRouter router = fixture.builder().explainRate(0).build();
    for (int i = 0; i < workers * 4; i++) {
      router.trySelect(told("standing" + i, i, blocks));
      fixture.indexer.hold(RouterFixture.worker(1 + i % workers), blocks / 4);
    }
    SchedulingRequest request = told("r", 1_000, blocks);
    return meter.bytesPerRun(
        () -> {
          RequestLease lease = router.trySelect(request);
          lease.markPrefillCompleted();
          lease.close();
        });
  }

  /** A quarter of the blocks begins every prompt. */
  private static SchedulingRequest told(String id, int number, int blocks) {
    long[] hashes = new long[blocks];
    for (int i = 0; i < blocks; i++) {
      hashes[i] = DecisionRandom.mix(i < blocks / 4 ? i : i + 10_000L * (number + 1));
    }
    return SchedulingRequest.builder(id, tokens(number, blocks * RouterFixture.BLOCK))
        .blockHashes(hashes, hashes)
        .build();
  }

  /** What a lease is made of: itself, its booking, its choice, and both entries of the account. */
  private double bytesPerLease() {
    KvRouter router = new RouterFixture(1).router();
    SchedulingRequest request = told("r", 1, 4);
    RequestLease made = router.trySelect(request);
    WorkerSelectionResult chosen = made.selection();
    Map<BookingKey, Booking> entries = new LinkedHashMap<>();
    TrackedRank rank = new TrackedRank(1, made.worker());
    long[] hashes = new long[1];
    Object[] sink = new Object[4];
    double bytes =
        meter.bytesPerRun(
            () -> {
              Booking booking = Booking.of(request.key(), made.worker(), hashes, 0, 1);
              WorkerSelectionResult selection =
                  new WorkerSelectionResult(chosen.worker(), 1, 1, 1, 1, 1);
              sink[0] = booking;
              sink[1] = selection;
              sink[2] = new TrackedBooking(booking, rank);
              sink[3] =
                  new RequestLease(
                      router,
                      booking,
                      made.instance(),
                      selection,
                      0,
                      request.routing(),
                      null,
                      1,
                      0);
              entries.put(request.key(), booking);
              entries.remove(request.key());
            });
    assertThat(entries).isEmpty();
    return bytes;
  }

  @ParameterizedTest
  @EnumSource
  void shouldAllocateAConstantForAQuestionToEitherPolicy(KvPolicy policy) {
    double few = bytesPerQuestion(policy, 8);

    assertThat(few).isLessThan(bytesPerQuestion(KvPolicy.KV, 8) + 64);
    assertThat(bytesPerQuestion(policy, 128)).isLessThan(few + 64);
  }

  /** Questions while every worker keeps some requests, some of them with their first token. */
  private double bytesPerQuestion(KvPolicy policy, int workers) {
    RouterFixture fixture = new RouterFixture(workers);
    KvRouter router = fixture.builder().policy(policy).build();
    for (int i = 0; i < workers * 4; i++) {
      fixture.nanos.addAndGet(1_000_000);
      RequestLease lease =
          router.trySelect(request("r" + i, tokens(i % 7, BLOCKS * RouterFixture.BLOCK)));
      if (i % 2 == 0) {
        lease.markPrefillCompleted();
      }
    }
    SchedulingRequest question = request("q", tokens(3, BLOCKS * RouterFixture.BLOCK));
    return meter.bytesPerRun(() -> router.query(question));
  }

  /** Decisions in a fleet where every worker keeps some requests. */
  private double bytesPerDecision(int workers) {
    KvRouter router = new RouterFixture(workers).router();
    Queue<RequestLease> leases = new ArrayDeque<>();
    SchedulingRequest[] requests = new SchedulingRequest[workers * 5];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = request("r" + i, tokens(i % 7, BLOCKS * RouterFixture.BLOCK));
    }
    int[] next = new int[1];
    return meter.bytesPerRun(
        () -> {
          if (leases.size() == workers * 4) {
            RequestLease oldest = leases.remove();
            oldest.markPrefillCompleted();
            oldest.close();
          }
          leases.add(router.trySelect(requests[next[0]]));
          next[0] = (next[0] + 1) % requests.length;
        });
  }

  @Test
  void shouldAllocateNothingForAnItemOfAStream() {
    RouterFixture fixture = new RouterFixture(1);
    DirectPlane plane = new DirectPlane();
    Counter counter = new Counter();
    KvDispatcher.builder()
        .router(fixture.router())
        .requestPlane(plane.asPlane())
        .build()
        .dispatch(DispatchFixture.request("r"), Attempt.builder("r", inline()).build())
        .subscribe(counter);
    LLMEngineOutput item = DispatchFixture.token();
    Flow.Subscriber<? super LLMEngineOutput> worker = Objects.requireNonNull(plane.subscriber);

    double bytes = meter.bytesPerRun(() -> worker.onNext(item));

    assertThat(bytes).isZero();
    assertThat(counter.items).isGreaterThan(20_000);
  }

  private static Scheduler inline() {
    return (Scheduler)
        Proxy.newProxyInstance(
            Scheduler.class.getClassLoader(),
            new Class<?>[] {Scheduler.class},
            (proxy, method, arguments) -> {
              ((Runnable) arguments[0]).run();
              return null;
            });
  }

  /** Keeps the one subscriber, so that a test speaks for the worker. */
  private static final class DirectPlane {
    private Flow.@Nullable Subscriber<? super LLMEngineOutput> subscriber;

    @SuppressWarnings("unchecked") // a proxy of the raw interface serves any type arguments
    RequestPlane<PreprocessedRequest, LLMEngineOutput> asPlane() {
      return (RequestPlane<PreprocessedRequest, LLMEngineOutput>)
          Proxy.newProxyInstance(
              RequestPlane.class.getClassLoader(),
              new Class<?>[] {RequestPlane.class},
              (proxy, method, arguments) -> send((WorkerInstance) arguments[0]));
    }

    private ResponseStream<LLMEngineOutput> send(WorkerInstance target) {
      assertThat(target.workerId()).isEqualTo(1);
      return to -> {
        subscriber = to;
        to.onSubscribe(
            new Flow.Subscription() {
              @Override
              public void request(long n) {}

              @Override
              public void cancel() {}
            });
      };
    }
  }

  private static final class Counter implements Flow.Subscriber<LLMEngineOutput> {
    private int items;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      items++;
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onComplete() {}
  }
}
