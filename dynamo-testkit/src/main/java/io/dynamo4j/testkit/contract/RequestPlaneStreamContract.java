// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link RequestPlaneContract} about streams that go well: cold, in order, no more than
 * asked for.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public abstract class RequestPlaneStreamContract<Q, R> extends RequestPlaneSubject<Q, R> {
  private static final int MANY = 1_000;

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
}
