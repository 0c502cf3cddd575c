// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.RequestPlane;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * What every {@link RequestPlane} must do: here how endpoints, deadlines and planes end and on
 * which threads; the classes above it say the rest.
 *
 * <p>An implementation supplies what {@link RequestPlaneSubject} asks for.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public abstract class RequestPlaneContract<Q, R> extends RequestPlaneFailureContract<Q, R> {
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
}
