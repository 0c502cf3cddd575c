// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * What every {@link RequestPlane} must do.
 *
 * <p>An implementation supplies lanes, a plane and samples of its types. Each test makes its own.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public abstract class RequestPlaneContract<Q, R> {
  private static final int MANY = 1_000;

  /** Returns fresh lanes; closed by the test. */
  protected abstract LaneHarness newHarness();

  /** Returns a fresh plane; closed by the test. */
  protected abstract RequestPlane<Q, R> newPlane(Environment environment);

  /** Returns a worker that {@code plane} can serve; different ids, different addresses. */
  protected abstract WorkerInstance instance(RequestPlane<Q, R> plane, long workerId);

  /** Returns some request. */
  protected abstract Q request();

  /** Returns an item that {@link #number} recognizes. */
  protected abstract R item(int number);

  /** Returns the number that {@link #item} was given. */
  protected abstract int number(R item);

  /** Returns how long the plane may take to do something that it should not; default 5 ms. */
  protected long settleNanos() {
    return 5_000_000;
  }

  private RequestPlaneRun<Q, R> run() {
    return new RequestPlaneRun<>(
        newHarness(),
        this::newPlane,
        this::instance,
        request(),
        this::item,
        this::number,
        settleNanos());
  }

  // cold, for one subscriber

  @Test
  public void shouldSendNothingBeforeSubscribed() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      var stream = run.stream(run.attempt());
      run.settle();
      assertThat(run.worker.requestCount()).isZero();
      run.probe.initialDemand(1).to(stream);
      run.sink().complete();
      run.await(run.probe.terminated());
      assertThat(run.worker.requestCount()).isEqualTo(1);
    }
  }

  @Test
  public void shouldSignalSubscriptionWhileWorkerIsSilent() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink();
      run.settle();
      assertThat(run.probe.isOpened()).isFalse();
      assertThat(run.probe.isTerminated()).isFalse();
    }
  }

  @Test
  public void shouldRefuseSecondSubscriber() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      var stream = run.stream(run.attempt());
      run.probe.initialDemand(1).to(stream);
      StreamProbe<R> second = StreamProbe.<R>on(run.lane).to(stream);
      run.await(second.terminated());
      assertThat(second.error()).isInstanceOf(IllegalStateException.class);
      assertThat(second.violations()).isEmpty();
      run.sink().next(item(0));
      run.sink().complete();
      run.await(run.probe.terminated());
      assertThat(run.numbers()).containsExactly(0);
      assertThat(run.worker.requestCount()).isEqualTo(1);
    }
  }

  // items and their order

  @Test
  public void shouldDeliverItemsInOrderThenComplete() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE);
      run.subscribe();
      run.sendItems(0, MANY);
      run.sink().complete();
      run.await(run.probe.terminated());
      assertThat(run.numbers()).containsExactlyElementsOf(run.range(0, MANY));
      assertThat(run.probe.isCompleted()).isTrue();
    }
  }

  @Test
  public void shouldOpenStreamBeforeFirstItem() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(1);
      run.subscribe();
      run.sink().open();
      run.await(run.probe.opened());
      assertThat(run.probe.items()).isEmpty();
      run.sink().next(item(0));
      run.await(run.probe.received(1));
    }
  }

  @Test
  public void shouldOpenStreamWhenFirstItemComesWithoutPrologue() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(1);
      run.subscribe();
      run.sink().next(item(0));
      run.await(run.probe.received(1));
      assertThat(run.probe.isOpened()).isTrue();
    }
  }

  @Test
  public void shouldOpenStreamWhenOnlyEndMarkComes() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink().complete();
      run.await(run.probe.terminated());
      assertThat(run.probe.isOpened()).isTrue();
      assertThat(run.probe.isCompleted()).isTrue();
    }
  }

  @Test
  public void shouldKeepStreamsApart() {
    int streams = 40;
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serveEcho(20);
      List<StreamProbe<R>> probes = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        StreamProbe<R> probe = run.newProbe().initialDemand(1 + i % 8).demandPerItem(1);
        probes.add(probe.to(run.stream(run.attempt(probe))));
      }
      for (StreamProbe<R> probe : probes) {
        run.await(probe.terminated());
        assertThat(probe.violations()).isEmpty();
        assertThat(run.numbers(probe)).containsExactlyElementsOf(run.range(0, 20));
      }
    }
  }

  // demand

  @Test
  public void shouldDeliverExactlyWhatEachWindowAsksFor() {
    for (int window = 1; window <= 8; window++) {
      try (RequestPlaneRun<Q, R> run = run()) {
        run.serve();
        run.subscribe();
        run.sendItems(0, window * 5);
        run.await(run.probe.opened());
        for (int round = 1; round <= 5; round++) {
          run.probe.request(window);
          run.await(run.probe.received(round * window));
          run.onLane(() -> {});
          assertThat(run.numbers()).containsExactlyElementsOf(run.range(0, round * window));
        }
        run.sink().complete();
        run.await(run.probe.terminated());
      }
    }
  }

  @Test
  public void shouldRefillEveryWindow() {
    for (int window = 1; window <= 8; window++) {
      try (RequestPlaneRun<Q, R> run = run()) {
        run.serve();
        run.probe.initialDemand(window).demandPerItem(1);
        run.subscribe();
        run.sendItems(0, 100);
        run.sink().complete();
        run.await(run.probe.terminated());
        assertThat(run.numbers()).containsExactlyElementsOf(run.range(0, 100));
      }
    }
  }

  @Test
  public void shouldKeepItemsUntilAskedFor() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sendItems(0, 5);
      run.sink().complete();
      run.await(run.probe.opened());
      run.settle();
      assertThat(run.probe.items()).isEmpty();
      run.probe.request(2);
      run.await(run.probe.received(2));
      run.settle();
      assertThat(run.numbers()).containsExactly(0, 1);
      assertThat(run.probe.isTerminated()).isFalse();
      run.probe.request(3);
      run.await(run.probe.terminated());
      assertThat(run.numbers()).containsExactly(0, 1, 2, 3, 4);
    }
  }

  @Test
  public void shouldCompleteAndFailWithoutDemand() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink().open();
      run.sink().fail(error(ErrorType.STREAM_INCOMPLETE));
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.STREAM_INCOMPLETE);
    }
  }

  @Test
  public void shouldAddUpDemandWithoutOverflow() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE - 1);
      run.subscribe();
      run.probe.request(Long.MAX_VALUE - 1);
      run.sendItems(0, 3);
      run.sink().complete();
      run.await(run.probe.terminated());
      assertThat(run.numbers()).containsExactly(0, 1, 2);
    }
  }

  @Test
  public void shouldFailStreamAndTellWorkerWhenDemandIsNotPositive() {
    for (long n : new long[] {0, -1, Long.MIN_VALUE}) {
      try (RequestPlaneRun<Q, R> run = run()) {
        run.serve();
        run.subscribe();
        run.sink().open();
        run.await(run.probe.opened());
        run.probe.request(n);
        run.await(run.probe.terminated());
        assertThat(run.probe.error()).isInstanceOf(IllegalArgumentException.class);
        run.await(run.worker.cancelled());
        assertThat(run.endpoint().openStreamCount()).isZero();
      }
    }
  }

  // cancel

  @Test
  public void shouldSendNothingWhenCancelledInOnSubscribe() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.cancelAt(0);
      run.subscribe();
      run.settle();
      assertThat(run.worker.requestCount()).isZero();
      assertThat(run.probe.isTerminated()).isFalse();
    }
  }

  @Test
  public void shouldTellWorkerWhenCancelledBeforePrologue() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(1);
      run.subscribe();
      run.sink();
      run.probe.cancel();
      run.await(run.worker.cancelled());
      assertThat(run.sink().next(item(0))).isFalse();
      run.sink().complete();
      run.settle();
      assertThat(run.probe.items()).isEmpty();
      assertThat(run.probe.isOpened()).isFalse();
      assertThat(run.probe.isTerminated()).isFalse();
      assertThat(run.endpoint().openStreamCount()).isZero();
    }
  }

  @Test
  public void shouldDeliverNothingWhenCancelledBetweenItems() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE);
      run.subscribe();
      run.sendItems(0, 2);
      run.await(run.probe.received(2));
      run.onLane(run.probe::cancel);
      run.await(run.worker.cancelled());
      run.sink().next(item(2));
      run.sink().complete();
      run.settle();
      assertThat(run.numbers()).containsExactly(0, 1);
      assertThat(run.probe.isTerminated()).isFalse();
    }
  }

  @Test
  public void shouldDeliverNothingMoreWhenCancelledInsideOnNext() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE).cancelAt(3);
      run.subscribe();
      run.sendItemsUntilLeft(0, 10);
      run.sink().complete();
      run.await(run.probe.received(3));
      run.settle();
      assertThat(run.numbers()).containsExactly(0, 1, 2);
      assertThat(run.probe.isTerminated()).isFalse();
    }
  }

  @Test
  public void shouldTellWorkerOnceWhenCancelledTwice() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(1);
      run.subscribe();
      run.sink().open();
      run.await(run.probe.opened());
      run.probe.cancel();
      run.probe.cancel();
      run.probe.request(5);
      run.probe.request(0);
      run.await(run.worker.cancelled());
      run.settle();
      assertThat(run.worker.cancelCount()).isEqualTo(1);
      assertThat(run.probe.isTerminated()).isFalse();
    }
  }

  @Test
  public void shouldRunCancelActionThatIsGivenTooLate() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink();
      run.probe.cancel();
      run.await(run.worker.cancelled());
      CompletableFuture<Void> late = new CompletableFuture<>();
      run.sink().onCancel(() -> late.complete(null));
      run.await(late);
    }
  }

  @Test
  public void shouldNotTellWorkerOfCancelWhenItHasEndedTheStream() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sendItems(0, 3);
      run.sink().complete();
      run.await(run.probe.opened());
      run.settle();
      run.probe.cancel();
      run.settle();
      assertThat(run.worker.cancelCount()).isZero();
      assertThat(run.probe.isTerminated()).isFalse();
    }
  }

  // subscribers that throw

  @Test
  public void shouldCancelSubscriberThatThrowsFromOnNext() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE).throwAt(2);
      run.subscribe();
      run.sendItemsUntilLeft(0, 5);
      run.await(run.worker.cancelled());
      run.settle();
      assertThat(run.numbers()).containsExactly(0, 1);
      assertThat(run.probe.isTerminated()).isFalse();
      assertThat(run.lane.failures())
          .singleElement()
          .isInstanceOf(StreamProbe.PlannedException.class);
    }
  }

  @Test
  public void shouldSendNothingWhenSubscriberThrowsFromOnSubscribe() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.throwAt(0);
      run.subscribe();
      run.settle();
      assertThat(run.worker.requestCount()).isZero();
      assertThat(run.probe.isTerminated()).isFalse();
      assertThat(run.lane.failures()).hasSize(1);
    }
  }

  // refusals and errors

  @Test
  public void shouldFailBeforePrologueWhenWorkerRefuses() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink().fail(error(ErrorType.WORKER_OVERLOADED));
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.WORKER_OVERLOADED);
      assertThat(run.probe.isOpened()).isFalse();
    }
  }

  @Test
  public void shouldKeepTypeWhenHandlerThrowsTypedError() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve(
          (id, request, sink) -> {
            throw error(ErrorType.INVALID_REQUEST);
          });
      run.subscribe();
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.INVALID_REQUEST);
      assertThat(run.probe.isOpened()).isFalse();
    }
  }

  @Test
  public void shouldFailAsUnknownWhenHandlerThrowsAnythingElse() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve(
          (id, request, sink) -> {
            throw new IllegalStateException("boom");
          });
      run.subscribe();
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.BACKEND_UNKNOWN);
      assertThat(run.probe.isOpened()).isFalse();
    }
  }

  @Test
  public void shouldDeliverItemsBeforeWorkersError() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE);
      run.subscribe();
      run.sendItems(0, 3);
      run.sink().fail(error(ErrorType.ENGINE_SHUTDOWN));
      run.await(run.probe.terminated());
      assertThat(run.numbers()).containsExactly(0, 1, 2);
      assertThat(run.errorType()).isEqualTo(ErrorType.ENGINE_SHUTDOWN);
    }
  }

  @Test
  public void shouldIgnoreWorkerAfterItEndedTheStream() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE);
      run.subscribe();
      run.sendItems(0, 1);
      run.sink().complete();
      assertThat(run.sink().next(item(1))).isFalse();
      run.sink().fail(error(ErrorType.ENGINE_SHUTDOWN));
      run.sink().complete();
      run.sink().open();
      run.await(run.probe.terminated());
      run.settle();
      assertThat(run.numbers()).containsExactly(0);
      assertThat(run.probe.isCompleted()).isTrue();
    }
  }

  @Test
  public void shouldNotOpenStreamAfterRefusal() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink().fail(error(ErrorType.WORKER_OVERLOADED));
      run.sink().complete();
      run.await(run.probe.terminated());
      run.settle();
      assertThat(run.probe.isOpened()).isFalse();
    }
  }

  @Test
  public void shouldNameWorkerAndAttemptWhenNobodyServes() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.subscribe(run.stream(run.attempt(2)));
      run.await(run.probe.terminated());
      DynamoException error = run.error();
      assertThat(error.errorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
      assertThat(error.worker()).isEqualTo(WorkerWithDpRank.of(run.instance.workerId()));
      assertThat(error.attempt()).isEqualTo(2);
      assertThat(run.probe.isOpened()).isFalse();
    }
  }

  // end of an endpoint

  @Test
  public void shouldFinishOpenStreamsAndRefuseNewOnesWhenEndpointIsClosed() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE);
      run.subscribe();
      run.sendItems(0, 1);
      run.await(run.probe.received(1));
      assertThat(run.endpoint().openStreamCount()).isEqualTo(1);
      run.endpoint().close();
      run.endpoint().close();
      StreamProbe<R> refused = run.newProbe();
      refused.to(run.stream(run.attempt(refused)));
      run.await(refused.terminated());
      assertThat(refused.error())
          .isInstanceOfSatisfying(
              DynamoException.class,
              e -> assertThat(e.errorType()).isEqualTo(ErrorType.CANNOT_CONNECT));
      run.sendItems(1, 3);
      run.sink().complete();
      run.await(run.probe.terminated());
      assertThat(run.numbers()).containsExactly(0, 1, 2);
      assertThat(run.endpoint().openStreamCount()).isZero();
    }
  }

  @Test
  public void shouldBreakOpenStreamsWhenEndpointIsAborted() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE);
      run.subscribe();
      run.sendItems(0, 2);
      run.await(run.probe.received(2));
      run.endpoint().abort();
      run.await(run.probe.terminated());
      run.await(run.worker.cancelled());
      assertThat(run.errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(run.sink().next(item(2))).isFalse();
      run.settle();
      assertThat(run.numbers()).containsExactly(0, 1);
      assertThat(run.endpoint().openStreamCount()).isZero();
    }
  }

  @Test
  public void shouldBreakStreamThatIsNotOpenedWhenEndpointIsAborted() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink();
      run.endpoint().abort();
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(run.probe.isOpened()).isFalse();
    }
  }

  @Test
  public void shouldBreakDrainingStreamsWhenAbortedAfterClose() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink().open();
      run.await(run.probe.opened());
      run.endpoint().close();
      run.endpoint().abort();
      run.endpoint().abort();
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.DISCONNECTED);
    }
  }

  @Test
  public void shouldServeAddressAgainOnlyWhenClosed() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      assertThatThrownBy(run::serve).isInstanceOf(IllegalStateException.class);
      run.endpoint().close();
      run.serve();
      run.probe.initialDemand(1);
      run.subscribe();
      run.sink().complete();
      run.await(run.probe.terminated());
      assertThat(run.probe.isCompleted()).isTrue();
    }
  }

  // deadline

  @Test
  public void shouldFailStreamAndTellWorkerWhenDeadlinePasses() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.probe.initialDemand(Long.MAX_VALUE);
      run.subscribe(run.stream(run.attemptWithin(run.probe, 2_000_000)));
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.DEADLINE_EXCEEDED);
      // The request may still be under way to the worker, and the cancel behind it.
      assertThat(
              run.settleUntil(
                  () ->
                      run.endpoint().openStreamCount() == 0
                          && run.worker.cancelCount() == run.worker.requestCount()))
          .as("every request that reached the worker is cancelled there")
          .isTrue();
    }
  }

  @Test
  public void shouldSendNothingWhenDeadlineHasPassed() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe(run.stream(run.attemptWithin(run.probe, -1)));
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.DEADLINE_EXCEEDED);
      assertThat(run.worker.requestCount()).isZero();
    }
  }

  // end of the plane

  @Test
  public void shouldFailOpenStreamsWhenPlaneIsClosed() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      run.subscribe();
      run.sink().open();
      run.await(run.probe.opened());
      run.plane.close();
      run.plane.close();
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.CLOSED);
      run.await(run.worker.cancelled());
    }
  }

  @Test
  public void shouldFailByTypeWhenUsedAfterClose() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.plane.close();
      assertThatThrownBy(run::serve)
          .isInstanceOfSatisfying(
              DynamoException.class, e -> assertThat(e.errorType()).isEqualTo(ErrorType.CLOSED));
      run.subscribe();
      run.await(run.probe.terminated());
      assertThat(run.errorType()).isEqualTo(ErrorType.CLOSED);
    }
  }

  // threads

  @Test
  public void shouldNeverHandleUnderTheClientsStack() {
    try (RequestPlaneRun<Q, R> run = run()) {
      CompletableFuture<Boolean> onClientsLane = new CompletableFuture<>();
      run.serve(
          (id, request, sink) -> {
            onClientsLane.complete(run.lane.isCurrent());
            sink.complete();
          });
      run.subscribe();
      run.await(run.probe.terminated());
      assertThat(onClientsLane).isCompletedWithValue(false);
    }
  }

  @Test
  public void shouldSurviveSubscribeRequestAndCancelOnTheStreamsOwnLane() {
    try (RequestPlaneRun<Q, R> run = run()) {
      run.serve();
      var stream = run.stream(run.attempt());
      run.onLane(() -> run.probe.to(stream));
      run.await(run.probe.subscribed());
      run.onLane(() -> run.probe.request(2));
      run.sendItems(0, 3);
      run.await(run.probe.received(2));
      run.onLane(() -> run.probe.request(1));
      run.await(run.probe.received(3));
      run.onLane(run.probe::cancel);
      run.await(run.worker.cancelled());
    }
  }

  private static DynamoException error(ErrorType type) {
    return new DynamoException(type, "worker fails as planned: type=" + type);
  }
}
