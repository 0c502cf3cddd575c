// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

class FaultyRequestPlaneTest {
  private static final long MILLI = 1_000_000;
  private static final WorkerInstance WORKER =
      WorkerInstance.builder(7, InMemoryRequestPlane.address("worker")).build();

  private Simulation simulation = Simulation.builder().build();
  private final List<String> signals = new ArrayList<>();
  private final List<String> workerSaw = new ArrayList<>();

  /** Sends one request for {@code items} items, a millisecond apart, through a faulty plane. */
  private void send(StreamFault fault, int items) {
    send(fault, items, new Recorder(Long.MAX_VALUE));
  }

  private void send(StreamFault fault, int items, Flow.Subscriber<Integer> subscriber) {
    var memory = InMemoryRequestPlane.<String, Integer>create(simulation.environment("worker"));
    var plane = FaultyRequestPlane.over(memory, (target, attempt) -> fault, RandomSource.seeded(1));
    Scheduler engine = simulation.node("worker").lane("engine");
    var unused =
        plane.serve(
            WORKER,
            (requestId, request, sink) -> {
              workerSaw.add("request");
              sink.onCancel(() -> workerSaw.add("cancel"));
              sink.open();
              engine.schedule(() -> answer(engine, sink, 0, items), MILLI);
            });
    Scheduler lane = simulation.node("client").lane("attempt");
    Attempt attempt =
        Attempt.builder("request", lane)
            .number(2)
            .listener(
                new AttemptListener() {
                  @Override
                  public void workerChosen(WorkerWithDpRank worker) {
                    signals.add("chosen");
                  }

                  @Override
                  public void streamOpened() {
                    signals.add("opened");
                  }
                })
            .build();
    plane.send(WORKER, "request", attempt).subscribe(subscriber);
  }

  private static void answer(Scheduler engine, ResponseSink<Integer> sink, int next, int items) {
    if (next == items) {
      sink.complete();
    } else if (sink.next(next)) {
      engine.schedule(() -> answer(engine, sink, next + 1, items), MILLI);
    }
  }

  private static List<String> itemsThen(int count, String end) {
    List<String> expected = new ArrayList<>();
    expected.add("opened");
    for (int i = 0; i < count; i++) {
      expected.add("" + i);
    }
    expected.add(end);
    return expected;
  }

  @Test
  void shouldChangeNothingWhenThereIsNoFault() {
    send(StreamFault.none(), 5);
    simulation.run();
    assertThat(signals).isEqualTo(itemsThen(5, "complete"));
    assertThat(workerSaw).containsExactly("request");
  }

  @Test
  void shouldFailBeforeTheWorkerSeesAnythingWhenRefused() {
    send(StreamFault.refused(ErrorType.CANNOT_CONNECT).withLatency(MILLI, 0), 5);
    simulation.run();
    assertThat(signals).containsExactly("CANNOT_CONNECT of 7 in attempt 2");
    assertThat(workerSaw).isEmpty();
    assertThat(simulation.nowNanos()).isEqualTo(MILLI);
  }

  @Test
  void shouldStaySilentWhenCancelledBeforeTheRefusalArrives() {
    Recorder recorder = new Recorder(1);
    send(StreamFault.refused(ErrorType.CANNOT_CONNECT).withLatency(MILLI, 0), 5, recorder);
    simulation.runFor(MILLI / 2);
    recorder.cancel();
    simulation.run();
    assertThat(signals).isEmpty();
  }

  @Test
  void shouldBreakAfterExactlyTheNamedItem() {
    for (int items : new int[] {0, 1, 3, 5}) {
      simulation = Simulation.builder().seed(items).build();
      signals.clear();
      workerSaw.clear();
      send(StreamFault.failedAfter(items, ErrorType.DISCONNECTED), 6);
      simulation.run();
      assertThat(signals).isEqualTo(itemsThen(items, "DISCONNECTED of 7 in attempt 2"));
      assertThat(workerSaw).containsExactly("request", "cancel");
    }
  }

  @Test
  void shouldBreakInPlaceOfTheEndWhenFailingAtEnd() {
    send(StreamFault.failedAtEnd(ErrorType.ENGINE_SHUTDOWN), 3);
    simulation.run();
    assertThat(signals).isEqualTo(itemsThen(3, "ENGINE_SHUTDOWN of 7 in attempt 2"));
    assertThat(workerSaw).containsExactly("request");
  }

  @Test
  void shouldCompleteEarlyWhenEndedCleanly() {
    send(StreamFault.endedAfter(2), 6);
    simulation.run();
    assertThat(signals).isEqualTo(itemsThen(2, "complete"));
    assertThat(workerSaw).containsExactly("request", "cancel");
  }

  @Test
  void shouldEndAsItWouldWhenStreamIsShorterThanTheFault() {
    send(StreamFault.failedAfter(10, ErrorType.DISCONNECTED), 3);
    simulation.run();
    assertThat(signals).isEqualTo(itemsThen(3, "complete"));
  }

  @Test
  void shouldDelayButNeverReorderWhenFramesJitter() {
    for (long seed = 0; seed < 30; seed++) {
      simulation = Simulation.builder().seed(seed).build();
      signals.clear();
      send(StreamFault.none().withLatency(2 * MILLI, 20 * MILLI), 40);
      simulation.runFor(2 * MILLI - 1);
      assertThat(signals).isEmpty();
      simulation.run();
      assertThat(signals).isEqualTo(itemsThen(40, "complete"));
    }
  }

  @Test
  void shouldDestroyFramesInFlightWhenTheErrorOvertakesThem() {
    send(
        StreamFault.failedAfter(10, ErrorType.DISCONNECTED)
            .withLatency(4 * MILLI, 0)
            .losingFramesInFlight(),
        20);
    simulation.run();
    // Items 7, 8 and 9 were under way when the stream broke at the tenth.
    assertThat(signals).isEqualTo(itemsThen(6, "DISCONNECTED of 7 in attempt 2"));
  }

  @Test
  void shouldPassDemandAndCancelOnToTheWorker() {
    Recorder recorder = new Recorder(3);
    send(StreamFault.none().withLatency(MILLI, MILLI), 10, recorder);
    simulation.runFor(100 * MILLI);
    assertThat(signals).containsExactly("opened", "0", "1", "2");
    recorder.cancel();
    simulation.run();
    assertThat(signals).hasSize(4);
    assertThat(simulation.pendingTaskCount()).isZero();
  }

  @Test
  void shouldDropDelayedFramesWhenCancelled() {
    Recorder recorder = new Recorder(Long.MAX_VALUE);
    send(StreamFault.none().withLatency(50 * MILLI, 0), 100, recorder);
    simulation.runFor(53 * MILLI);
    int seen = signals.size();
    recorder.cancel();
    simulation.run();
    assertThat(signals).hasSize(seen);
    assertThat(workerSaw).containsExactly("request", "cancel");
  }

  @Test
  void shouldCancelAndSaveFurtherSignalsWhenSubscriberThrows() {
    Recorder recorder =
        new Recorder(Long.MAX_VALUE) {
          @Override
          public void onNext(Integer item) {
            throw new IllegalStateException("subscriber failed");
          }
        };
    send(StreamFault.none().withLatency(MILLI, 0), 3, recorder);
    assertThatThrownBy(simulation::run)
        .isInstanceOf(SimulationFailure.class)
        .hasRootCauseMessage("subscriber failed");
  }

  @Test
  void shouldTurnAwayASecondSubscriberOfARefusedStream() {
    var memory = InMemoryRequestPlane.<String, Integer>create(simulation.environment("worker"));
    var plane =
        FaultyRequestPlane.over(
            memory,
            (target, attempt) -> StreamFault.refused(ErrorType.CANNOT_CONNECT),
            RandomSource.seeded(1));
    var stream =
        plane.send(
            WORKER, "q", Attempt.builder("q", simulation.node("client").lane("lane")).build());
    stream.subscribe(new Recorder(1));
    stream.subscribe(new Recorder(1));
    simulation.run();
    assertThat(signals)
        .containsExactlyInAnyOrder(
            "CANNOT_CONNECT of 7 in attempt 0",
            "stream has a subscriber already: Attempt[requestId=q, number=0]");
  }

  @Test
  void shouldDrawTheSameFaultForTheSameAttemptWhateverWasAskedBefore() {
    RandomStreamFaults plan = everything(3);
    Scheduler lane = simulation.node("client").lane("lane");
    Attempt first = Attempt.builder("a", lane).build();
    Attempt second = Attempt.builder("a", lane).number(1).build();
    String alone = plan.faultOf(WORKER, second).toString();
    plan.faultOf(WORKER, first);
    assertThat(plan.faultOf(WORKER, second)).hasToString(alone);
    assertThat(everything(3).faultOf(WORKER, second)).hasToString(alone);
  }

  @Test
  void shouldDrawEachKindAboutAsOftenAsToldTo() {
    RandomStreamFaults plan = everything(3);
    Scheduler lane = simulation.node("client").lane("lane");
    int refused = 0;
    int clean = 0;
    int losing = 0;
    for (int i = 0; i < 4000; i++) {
      StreamFault fault = plan.faultOf(WORKER, Attempt.builder("r" + i, lane).build());
      refused += fault.isRefused() ? 1 : 0;
      clean += fault.endsCleanly() ? 1 : 0;
      losing += fault.losesFrames() ? 1 : 0;
    }
    assertThat(refused).isBetween(300, 500);
    assertThat(clean).isBetween(700, 900);
    assertThat(losing).isBetween(1800, 2200);
  }

  private static RandomStreamFaults everything(long seed) {
    return RandomStreamFaults.builder(RandomSource.seeded(seed))
        .refusal(0.1)
        .failure(0.3)
        .cleanEnd(0.2)
        .frameLoss(0.5)
        .latency(10, 20)
        .build();
  }

  @Test
  void shouldRejectImpossibleProbabilities() {
    var builder = RandomStreamFaults.builder(RandomSource.seeded(1));
    assertThatThrownBy(() -> builder.refusal(1.5)).hasMessageContaining("refusal=1.5");
    assertThatThrownBy(() -> builder.failure(Double.NaN)).hasMessageContaining("failure=NaN");
    builder.refusal(0.6).failure(0.6);
    assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> StreamFault.none().withLatency(-1, 0))
        .hasMessageContaining("latencyNanos=-1");
  }

  private class Recorder implements Flow.Subscriber<Integer> {
    private final long demand;
    private final List<Flow.Subscription> subscriptions = new ArrayList<>();

    Recorder(long demand) {
      this.demand = demand;
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
      subscriptions.add(newSubscription);
      newSubscription.request(demand);
    }

    @Override
    public void onNext(Integer item) {
      signals.add("" + item);
    }

    @Override
    public void onError(Throwable error) {
      signals.add(
          error instanceof DynamoException typed && typed.worker() != null
              ? typed.errorType()
                  + " of "
                  + typed.worker().workerId()
                  + " in attempt "
                  + typed.attempt()
              : error.getMessage());
    }

    void cancel() {
      subscriptions.get(0).cancel();
    }

    @Override
    public void onComplete() {
      signals.add("complete");
    }
  }
}
