// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link RequestPlaneContract} about clients that leave: by a cancel or by throwing.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public abstract class RequestPlaneCancelContract<Q, R> extends RequestPlaneStreamContract<Q, R> {
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
}
