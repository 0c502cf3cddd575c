// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.DispatchFixture.MILLI;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.DispatchFixture.Client;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Worker 1 computes prompts in two milliseconds, worker 11 answers with three tokens. */
class DisaggregatedDispatcherTest {
  private final DispatchFixture fixture = new DispatchFixture(1);
  private final InMemoryWorkerDirectory prefillWorkers = InMemoryWorkerDirectory.create();
  private final KvRouter prefill =
      KvRouter.builder()
          .environment(fixture.simulation.environment("prefill-router"))
          .directory(prefillWorkers)
          .indexer(fixture.indexer)
          .config(DisaggregatedRouter.prefillConfig(KvRouterConfig.ofDefaults()))
          .build();
  private final KvRouter decode = fixture.router();
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
      DisaggregatedDispatcher.builder()
          .router(DisaggregatedRouter.builder().prefill(prefill).decode(decode).build())
          .requestPlane(fixture.plane)
          .build();
  private final List<PreprocessedRequest> computed = new ArrayList<>();
  private final List<PreprocessedRequest> decoded = new ArrayList<>();

  @AfterEach
  void nothingStaysBooked() {
    fixture.simulation.runFor(100 * MILLI);
    assertThat(prefill.bookingCount()).isZero();
    assertThat(decode.bookingCount()).isZero();
  }

  private void servePrefill(long id, LLMEngineOutput... items) {
    WorkerInstance instance = RouterFixture.instance(id).build();
    prefillWorkers.register(instance);
    fixture.plane.serve(instance, recorded(computed, 2 * MILLI, items));
  }

  private void serveDecode(long id, LLMEngineOutput... items) {
    fixture.serve(id, recorded(decoded, MILLI, items));
  }

  /** Answers with items, one each step; with a failure if there are none. */
  private RequestHandler<PreprocessedRequest, LLMEngineOutput> recorded(
      List<PreprocessedRequest> requests, long step, LLMEngineOutput... items) {
    return (id, request, sink) -> {
      requests.add(request);
      sink.open();
      Scheduler lane = fixture.simulation.node("workers").lane("stream");
      for (int i = 0; i < items.length; i++) {
        LLMEngineOutput item = items[i];
        lane.schedule(() -> sink.next(item), (i + 1) * step);
      }
      if (items.length == 0) {
        lane.schedule(
            () -> sink.fail(new DynamoException(ErrorType.ENGINE_SHUTDOWN, "planted")), step);
      } else {
        lane.schedule(sink::complete, items.length * step);
      }
    };
  }

  private static LLMEngineOutput handsOver() {
    return LLMEngineOutput.last(TokenSlice.of(7), FinishReason.LENGTH)
        .withUsage(new CompletionUsage(16, 1, 4))
        .withDisaggregatedParams(Map.of("kv", "P1"));
  }

  private static LLMEngineOutput end() {
    return LLMEngineOutput.last(TokenSlice.of(9), FinishReason.STOP);
  }

  private static PreprocessedRequest request(long minTokens) {
    return PreprocessedRequest.builder("a", RouterFixture.tokens(0, 16))
        .stopConditions(StopConditions.builder().maxTokens(30).minTokens(minTokens).build())
        .extensions(Map.of("mdc_sum", "sum"))
        .build();
  }

  @Test
  void shouldSendThePromptToOneWorkerAndWhatItHandsOverToTheOther() {
    servePrefill(1, handsOver());
    serveDecode(11, DispatchFixture.token(), DispatchFixture.token(), end());

    Client client = fixture.client("a").start(dispatcher, request(5));
    fixture.simulation.runFor(100 * MILLI);

    assertThat(client.completed).isTrue();
    assertThat(client.items).isEqualTo(3);
    assertThat(client.chosen).containsExactly(worker(1), worker(11));
    assertThat(computed.get(0).stopConditions().maxTokens()).isEqualTo(1);
    assertThat(computed.get(0).stopConditions().minTokens()).isEqualTo(1);
    assertThat(decoded.get(0).stopConditions().maxTokens()).isEqualTo(30);
    assertThat(decoded.get(0).stopConditions().minTokens()).isEqualTo(5);
    assertThat(decoded.get(0).extensions())
        .isEqualTo(
            Map.of(
                "mdc_sum",
                "sum",
                "prefill_result",
                Map.of(
                    "disaggregated_params",
                    Map.of("kv", "P1"),
                    "prompt_tokens_details",
                    Map.of("cached_tokens", 4L))));
    // The prefill router predicted nothing and is told of 4; the decode router predicted nothing.
    assertThat(prefill.cacheAccuracy().reports()).isEqualTo(1);
    assertThat(decode.cacheAccuracy().reports()).isZero();
  }

  @Test
  void shouldHoldBothBookingsUntilEachLegEnds() {
    servePrefill(1, handsOver());
    serveDecode(11, DispatchFixture.token(), DispatchFixture.token(), end());
    Client client = fixture.client("a").start(dispatcher);

    fixture.simulation.runFor(MILLI);
    assertThat(prefill.load(worker(1))).isEqualTo(new WorkerLoad(16, 0, 1));
    assertThat(decode.load(worker(11))).isEqualTo(new WorkerLoad(0, 4, 1));
    assertThat(client.opened).isFalse();
    fixture.simulation.runFor(3 * MILLI / 2);
    assertThat(prefill.bookingCount()).isZero();
    assertThat(decode.bookingCount()).isEqualTo(1);
    assertThat(client.opened).isTrue();
  }

  @Test
  void shouldFailAsAnAttemptThatNeverBeganWhenThePrefillFails() {
    servePrefill(1);
    serveDecode(11, end());

    Client client = fixture.client("a").start(dispatcher);
    fixture.simulation.runFor(100 * MILLI);

    assertThat(client.failure)
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.ENGINE_SHUTDOWN));
    assertThat(client.opened).isFalse();
    assertThat(client.chosen).containsExactly(worker(1));
    assertThat(decoded).isEmpty();
  }

  @Test
  void shouldFailWithTheDecodeWorkersErrorWhenItFails() {
    servePrefill(1, handsOver());
    serveDecode(11);

    Client client = fixture.client("a").start(dispatcher);
    fixture.simulation.runFor(100 * MILLI);

    assertThat(client.failure)
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.ENGINE_SHUTDOWN));
    assertThat(client.opened).isTrue();
  }

  @Test
  void shouldAnswerWithWhatThePrefillWorkerEnds() {
    servePrefill(1, DispatchFixture.token(), end());
    serveDecode(11, end());
    Client client = fixture.client("a").demanding(1).start(dispatcher);

    fixture.simulation.runFor(100 * MILLI);
    assertThat(client.items).isEqualTo(1);
    assertThat(client.completed).isFalse();
    client.demand(1);
    fixture.simulation.runFor(MILLI);

    assertThat(client.items).isEqualTo(2);
    assertThat(client.completed).isTrue();
    assertThat(client.opened).isTrue();
    assertThat(decoded).isEmpty();
  }

  @Test
  void shouldAskTheDecodeWorkerAloneWhenThereIsNoPrefillWorker() {
    serveDecode(11, DispatchFixture.token(), end());

    Client client = fixture.client("a").start(dispatcher, request(0));
    fixture.simulation.runFor(100 * MILLI);

    assertThat(client.completed).isTrue();
    assertThat(client.chosen).containsExactly(worker(11));
    assertThat(decoded.get(0).extensions()).doesNotContainKey("prefill_result");
  }

  @Test
  void shouldLeaveThePromptToTheDecodeWorkerWhenNothingIsHandedOver() {
    servePrefill(1, LLMEngineOutput.last(TokenSlice.of(7), FinishReason.LENGTH));
    serveDecode(11, end());

    Client client = fixture.client("a").start(dispatcher, request(0));
    fixture.simulation.runFor(100 * MILLI);

    assertThat(client.completed).isTrue();
    assertThat(decoded.get(0).extensions()).doesNotContainKey("prefill_result");
  }

  @Test
  void shouldStopAPrefillWorkerThatDoesNotEnd() {
    LLMEngineOutput[] endless = new LLMEngineOutput[100];
    Arrays.fill(endless, DispatchFixture.token());
    servePrefill(1, endless);
    serveDecode(11, end());

    Client client = fixture.client("a").start(dispatcher);
    fixture.simulation.runFor(1_000 * MILLI);

    assertThat(client.failure)
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> {
              assertThat(failure.errorType()).isEqualTo(ErrorType.BACKEND_PROTOCOL);
              assertThat(failure.worker()).isEqualTo(worker(1));
            });
    assertThat(decoded).isEmpty();
  }

  @Test
  void shouldFreeBothWorkersWhenTheClientCancelsAtAnyTime() {
    servePrefill(1, handsOver());
    serveDecode(11, DispatchFixture.token(), DispatchFixture.token(), end());

    for (int tenths = 0; tenths < 60; tenths++) {
      Client client = fixture.client("cancelled-" + tenths).start(dispatcher);
      fixture.simulation.runFor(tenths * MILLI / 10);
      boolean hadEnded = client.completed;
      client.cancel();
      assertThat(prefill.bookingCount()).as("after %d/10 ms", tenths).isZero();
      assertThat(decode.bookingCount()).as("after %d/10 ms", tenths).isZero();
      int items = client.items;
      fixture.simulation.runFor(20 * MILLI);
      assertThat(client.items).isEqualTo(items);
      assertThat(client.completed).isEqualTo(hadEnded);
      assertThat(client.failure).isNull();
    }
    assertThat(computed).hasSizeGreaterThan(decoded.size());
    assertThat(decoded).isNotEmpty();
  }

  @Test
  void shouldFailWhenNobodyIsLeftToDecode() {
    servePrefill(1, handsOver());

    Client client = fixture.client("a").start(dispatcher);
    fixture.simulation.runFor(MILLI);

    assertThat(client.failure).isInstanceOf(NoEligibleWorkerException.class);
    assertThat(computed).isEmpty();
  }
}
