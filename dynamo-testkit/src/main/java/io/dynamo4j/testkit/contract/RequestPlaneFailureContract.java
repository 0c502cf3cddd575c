// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link RequestPlaneContract} about workers that refuse or fail.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public abstract class RequestPlaneFailureContract<Q, R> extends RequestPlaneCancelContract<Q, R> {
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
}
