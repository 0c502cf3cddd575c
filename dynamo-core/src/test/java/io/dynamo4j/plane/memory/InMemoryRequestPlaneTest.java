// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** What is peculiar to this plane; what every request plane must do is in its contract. */
class InMemoryRequestPlaneTest {
  private final ManualLane lane = new ManualLane();
  private final InMemoryRequestPlane<String, String> plane =
      InMemoryRequestPlane.<String, String>builder(ManualLane.environment(lane))
          .bufferCapacity(4)
          .build();
  private final WorkerInstance worker =
      WorkerInstance.builder(-2, InMemoryRequestPlane.address("w")).build();
  private final List<String> log = new ArrayList<>();

  private Attempt attempt(long deadlineNanos) {
    return Attempt.builder("r", lane)
        .deadlineNanos(deadlineNanos)
        .listener(
            new AttemptListener() {
              @Override
              public void workerChosen(WorkerWithDpRank chosen) {}

              @Override
              public void streamOpened() {
                log.add("opened");
              }
            })
        .build();
  }

  private Flow.Subscriber<String> subscriber(long demand) {
    return new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        log.add("subscribed");
        if (demand > 0) {
          subscription.request(demand);
        }
      }

      @Override
      public void onNext(String item) {
        log.add(item);
      }

      @Override
      public void onError(Throwable error) {
        log.add(error instanceof DynamoException d ? d.errorType().name() : error.toString());
      }

      @Override
      public void onComplete() {
        log.add("completed");
      }
    };
  }

  private ResponseSink<String> open(long demand) {
    List<ResponseSink<String>> sinks = new ArrayList<>();
    plane.serve(worker, (id, request, sink) -> sinks.add(sink));
    plane.send(worker, "q", attempt(Attempt.NO_DEADLINE)).subscribe(subscriber(demand));
    lane.run();
    return sinks.get(0);
  }

  @Test
  void shouldDeliverBurstInOneTask() {
    ResponseSink<String> sink = open(Long.MAX_VALUE);
    int before = lane.executed;
    sink.next("a");
    sink.next("b");
    sink.complete();
    lane.run();
    assertThat(log).containsExactly("subscribed", "opened", "a", "b", "completed");
    assertThat(lane.executed - before).isEqualTo(1);
  }

  @Test
  void shouldSpendNoTaskOnItemNobodyAskedFor() {
    ResponseSink<String> sink = open(0);
    sink.open();
    lane.run();
    int before = lane.executed;
    sink.next("a");
    sink.next("b");
    lane.run();
    assertThat(lane.executed).isEqualTo(before);
  }

  @Test
  void shouldFailStreamWhenBufferOverflows() {
    ResponseSink<String> sink = open(1);
    sink.onCancel(() -> log.add("left"));
    for (int i = 0; i < 4; i++) {
      assertThat(sink.next("i" + i)).isTrue();
    }
    assertThat(sink.next("i4")).isFalse();
    lane.run();
    assertThat(log)
        .containsExactlyInAnyOrder("subscribed", "left", ErrorType.BUFFER_OVERFLOW.name());
    assertThat(plane.overflowCount()).isEqualTo(1);
  }

  @Test
  void shouldRefuseSecondEndpointAtOneAddressUntilFirstIsClosed() {
    ServedEndpoint first = plane.serve(worker, (id, request, sink) -> sink.complete());
    assertThatThrownBy(() -> plane.serve(worker, (id, request, sink) -> sink.complete()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("memory://w");
    first.close();
    plane.serve(worker, (id, request, sink) -> sink.complete()).close();
  }

  @Test
  void shouldReleaseTimerWhenStreamEnds() {
    plane.serve(worker, (id, request, sink) -> sink.complete());
    plane.send(worker, "q", attempt(1_000)).subscribe(subscriber(1));
    lane.run();
    assertThat(log).containsExactly("subscribed", "opened", "completed");
    assertThat(lane.timerCount()).isZero();
  }

  @Test
  void shouldReleaseTimerWhenWorkerHasEndedButNobodyReads() {
    plane.serve(
        worker,
        (id, request, sink) -> {
          sink.next("a");
          sink.complete();
        });
    plane.send(worker, "q", attempt(1_000)).subscribe(subscriber(0));
    lane.run();
    assertThat(lane.timerCount()).isZero();
    lane.advance(2_000);
    assertThat(log).containsExactly("subscribed", "opened");
  }

  @Test
  void shouldDropFramesOnAbortUnlessTheySurvive() {
    ManualLane clientLane = lane;
    for (boolean survive : new boolean[] {false, true}) {
      log.clear();
      InMemoryRequestPlane<String, String> built =
          InMemoryRequestPlane.<String, String>builder(ManualLane.environment(clientLane))
              .framesSurviveAbort(() -> survive)
              .build();
      List<ResponseSink<String>> sinks = new ArrayList<>();
      ServedEndpoint endpoint = built.serve(worker, (id, request, sink) -> sinks.add(sink));
      built.send(worker, "q", attempt(Attempt.NO_DEADLINE)).subscribe(subscriber(9));
      clientLane.run();
      sinks.get(0).next("a");
      endpoint.abort();
      clientLane.run();
      assertThat(endpoint.openStreamCount()).isZero();
      if (survive) {
        assertThat(log).containsExactly("subscribed", "opened", "a", "DISCONNECTED");
      } else {
        assertThat(log).containsExactly("subscribed", "DISCONNECTED");
      }
    }
  }

  @Test
  void shouldRefuseWhenWorkersLaneIsClosed() {
    ManualLane workerLane = new ManualLane();
    ServedEndpoint endpoint =
        plane.serve(worker, workerLane, (id, request, sink) -> sink.complete());
    workerLane.close();
    plane.send(worker, "q", attempt(Attempt.NO_DEADLINE)).subscribe(subscriber(1));
    lane.run();
    assertThat(log).containsExactly("subscribed", "CANNOT_CONNECT");
    assertThat(endpoint.openStreamCount()).isZero();
  }

  @Test
  void shouldTellWorkerWhenClientsLaneIsClosed() {
    ManualLane workerLane = new ManualLane();
    List<ResponseSink<String>> sinks = new ArrayList<>();
    ServedEndpoint endpoint =
        plane.serve(worker, workerLane, (id, request, sink) -> sinks.add(sink));
    plane.send(worker, "q", attempt(Attempt.NO_DEADLINE)).subscribe(subscriber(1));
    lane.run();
    workerLane.run();
    sinks.get(0).onCancel(() -> log.add("left"));
    lane.close();
    sinks.get(0).next("a");
    workerLane.run();
    assertThat(log).containsExactly("subscribed", "left");
    assertThat(sinks.get(0).next("b")).isFalse();
    assertThat(endpoint.openStreamCount()).isZero();
  }

  @Test
  void shouldNotReachSuccessorOfAnotherWorkerIdAtSameAddress() {
    plane.serve(
        WorkerInstance.builder(7, worker.address()).build(),
        (id, request, sink) -> sink.complete());
    plane.send(worker, "q", attempt(Attempt.NO_DEADLINE)).subscribe(subscriber(1));
    lane.run();
    assertThat(log).containsExactly("subscribed", "CANNOT_CONNECT");
  }
}
