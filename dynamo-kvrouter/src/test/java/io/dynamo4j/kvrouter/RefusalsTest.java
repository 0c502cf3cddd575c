// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.instance;
import static io.dynamo4j.kvrouter.RouterFixture.pinned;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingConstraints;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.kvrouter.RouterRefusals.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong is refused with a type, counted once, and changes no load. */
class RefusalsTest {
  private static final int WORKERS = 3;

  private final RouterFixture fixture = new RouterFixture(WORKERS);
  private final LoadMonitor monitor = LoadMonitor.create(() -> 0);
  private final KvRouter router = fixture.builder().loadMonitor(monitor).build();
  private final RequestLease running = router.trySelect(request("running", tokens(0, 18)));

  /** Everything that a decision looks at. */
  private static List<Object> state(KvRouter router) {
    List<Object> state = new ArrayList<>();
    state.add(router.bookingCount());
    for (int id = 1; id <= WORKERS; id++) {
      state.add(router.load(worker(id)));
    }
    return state;
  }

  private static Map<Kind, Long> counts(KvRouter router) {
    Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      if (router.refusals().count(kind) > 0) {
        counts.put(kind, router.refusals().count(kind));
      }
    }
    return counts;
  }

  private void shouldRefuse(
      KvRouter by, Kind kind, Class<? extends Exception> type, ThrowingCallable call) {
    List<Object> before = state(by);
    assertThatThrownBy(call).isInstanceOf(type);
    assertThat(state(by)).isEqualTo(before);
    assertThat(counts(by)).isEqualTo(Map.of(kind, 1L));
  }

  @Test
  void shouldRefuseAWorkerThatNobodyRegistered() {
    shouldRefuse(
        router,
        Kind.UNKNOWN_WORKER,
        NoEligibleWorkerException.class,
        () -> router.trySelect(pinned("r", tokens(0, 8), worker(9))));
  }

  @Test
  void shouldRefuseWhileTheFleetIsEmpty() {
    KvRouter lonely = new RouterFixture(0).router();

    shouldRefuse(
        lonely,
        Kind.EMPTY_FLEET,
        NoEligibleWorkerException.class,
        () -> lonely.trySelect(request("r", tokens(0, 8))));
  }

  @Test
  void shouldRefuseWhereAllAreFiltered() {
    shouldRefuse(
        router,
        Kind.NOBODY_ELIGIBLE,
        NoEligibleWorkerException.class,
        () ->
            router.trySelect(
                SchedulingRequest.builder("r", tokens(0, 8))
                    .routing(
                        RoutingHints.builder()
                            .constraints(RoutingConstraints.builder().requireTaint("gpu").build())
                            .build())
                    .build()));
    KvRouter picky =
        fixture
            .builder()
            .selector(
                DefaultWorkerSelector.builder(KvRouterConfig.ofDefaults())
                    .filter((request, candidates, row) -> false)
                    .build())
            .build();
    shouldRefuse(
        picky,
        Kind.NOBODY_ELIGIBLE,
        NoEligibleWorkerException.class,
        () -> picky.trySelect(request("r", tokens(0, 8))));
  }

  @Test
  void shouldRefuseWhileAllAreTooBusy() {
    for (int id = 1; id <= WORKERS; id++) {
      monitor.report(worker(id), new RankLoadReport(1, 10, 0));
    }
    monitor.thresholds(LoadThresholds.builder().activePrefillTokens(0L).build());

    shouldRefuse(
        router,
        Kind.EVERYBODY_BUSY,
        NoEligibleWorkerException.class,
        () -> router.trySelect(request("r", tokens(100, 8))));
  }

  @Test
  void shouldRefuseAnAttemptThatIsBooked() {
    List<Object> before = state(router);

    assertThatThrownBy(() -> router.trySelect(request("running", tokens(500, 80))))
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.DUPLICATE_REQUEST));

    assertThat(state(router)).isEqualTo(before);
    assertThat(counts(router)).isEqualTo(Map.of(Kind.DUPLICATE_REQUEST, 1L));
  }

  @Test
  void shouldFreeOnceHoweverOftenALeaseIsClosed() {
    RequestLease other = router.trySelect(request("other", tokens(0, 18)));
    other.close();
    List<Object> before = state(router);

    other.close();
    other.markPrefillCompleted();
    other.close();

    assertThat(state(router)).isEqualTo(before);
    assertThat(counts(router)).isEqualTo(Map.of(Kind.CLOSED_AGAIN, 2L));
    assertThat(router.bookingCount()).isEqualTo(1);
  }

  @Test
  void shouldNotFreeWhatWasNeverBooked() {
    ActiveBlockTracker tracker = ActiveBlockTracker.create(1);
    Booking booked = Booking.of(new BookingKey("a", 0), worker(1), new long[] {1, 2}, 2, 8);
    Booking never = Booking.of(new BookingKey("a", 0), worker(1), new long[] {1, 2}, 2, 8);
    tracker.book(booked);
    WorkerLoad before = tracker.load(worker(1));

    assertThat(tracker.free(never)).isFalse();
    assertThat(tracker.markPrefillCompleted(never)).isFalse();
    assertThat(tracker.addOutputBlock(never)).isFalse();

    assertThat(tracker.load(worker(1))).isEqualTo(before);
    assertThat(tracker.free(booked)).isTrue();
    assertThat(tracker.free(booked)).isFalse();
    assertThat(tracker.bookingCount()).isZero();
  }

  @Test
  void shouldRefuseNegativeGrowth() {
    shouldRefuse(
        router, Kind.INVALID, IllegalArgumentException.class, () -> running.addOutputTokens(-1));
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void shouldRefuseACostThatIsNoNumber(double cost) {
    KvRouter broken =
        fixture
            .builder()
            .selector(
                DefaultWorkerSelector.builder(KvRouterConfig.ofDefaults())
                    .scorer((request, candidates, row) -> cost)
                    .build())
            .build();

    shouldRefuse(
        broken,
        Kind.BROKEN_POLICY,
        IllegalStateException.class,
        () -> broken.trySelect(request("r", tokens(0, 8))));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 5})
  void shouldRefuseHashesThatAreNotThoseOfThePromptsFullBlocks(int hashes) {
    shouldRefuse(
        router,
        Kind.INVALID,
        IllegalArgumentException.class,
        () ->
            router.trySelect(
                SchedulingRequest.builder("r", tokens(0, 11))
                    .blockHashes(new long[hashes], new long[hashes])
                    .build()));
  }

  @Test
  void shouldFailTheStageForHashesThatAreNotThoseOfThePrompt() {
    List<Object> before = state(router);
    SchedulingRequest wrong =
        SchedulingRequest.builder("r", tokens(0, 11)).blockHashes(new long[1], new long[1]).build();

    assertThat(router.select(wrong))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalArgumentException.class);

    assertThat(state(router)).isEqualTo(before);
    assertThat(counts(router)).isEqualTo(Map.of(Kind.INVALID, 1L));
  }

  @Test
  void shouldBookAPromptShorterThanABlockAndOneWithoutTokens() {
    RequestLease brief = router.trySelect(request("brief", tokens(0, 3)));
    RequestLease empty = router.trySelect(request("empty", tokens(0, 0)));

    assertThat(router.bookingCount()).isEqualTo(3);
    assertThat(router.load(brief.worker()).prefillTokens()).isGreaterThanOrEqualTo(3);
    brief.close();
    empty.close();
    assertThat(router.bookingCount()).isEqualTo(1);
    assertThat(counts(router)).isEmpty();
  }

  @Test
  void shouldNameAWorkerOfAnotherBlockSizeAndRouteToTheOthersAsBefore() {
    List<Object> before = state(router);
    fixture.directory.register(instance(4).kvBlockSize(64).build());
    fixture.nanos.addAndGet(60_000_000_000L);

    assertThat(router.health().findings(HealthKind.WRONG_BLOCK_SIZE))
        .singleElement()
        .satisfies(finding -> assertThat(finding.worker()).contains(worker(4)));
    assertThat(state(router)).isEqualTo(before);
  }

  @Test
  void shouldCountWhatAQueueRefuses() {
    QueueFixture queued = new QueueFixture(1, 1, QueueFixture.half(QueuePolicy.FCFS));
    queued.ask("running", 80);
    List<Object> before = List.of(queued.router.bookingCount(), queued.router.load(worker(1)));

    queued.ask(queued.prompt("running", 8));
    queued.ask(queued.prompt("impatient", 8).doNotQueue(true));
    queued.ask(
        queued.prompt("lost", 8).routing(RoutingHints.builder().pinnedWorker(worker(7)).build()));

    assertThat(counts(queued.router))
        .isEqualTo(Map.of(Kind.DUPLICATE_REQUEST, 1L, Kind.QUEUE, 1L, Kind.UNKNOWN_WORKER, 1L));
    assertThat(List.of(queued.router.bookingCount(), queued.router.load(worker(1))))
        .isEqualTo(before);
  }
}
