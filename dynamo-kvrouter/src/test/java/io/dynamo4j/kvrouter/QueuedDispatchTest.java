// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.DispatchFixture.MILLI;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.kvrouter.DispatchFixture.Client;
import io.dynamo4j.plane.RequestDispatcher;
import org.junit.jupiter.api.Test;

/** Attempts that wait in the router's queue before they are sent. */
class QueuedDispatchTest {
  private final DispatchFixture fixture = new DispatchFixture(1);
  private final KvRouter router =
      KvRouter.builder()
          .environment(fixture.simulation.environment("gateway"))
          .directory(fixture.directory)
          .indexer(fixture.indexer)
          .queue(
              QueueConfig.builder()
                  .policyClass(PolicyClass.builder("default").prefillBusyThreshold(0).build())
                  .build())
          .build();
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
      fixture.kv(router);

  @Test
  void shouldSendTheNextOneWhenTheFirstTokenFreesTheWorker() {
    fixture.serve(1, fixture.tokens(3));
    Client first = fixture.client("a").start(dispatcher);
    Client second = fixture.client("b").start(dispatcher);
    fixture.simulation.runFor(MILLI / 2);
    assertThat(first.chosen).containsExactly(worker(1));
    assertThat(second.chosen).isEmpty();
    assertThat(second.subscribed).isTrue();

    fixture.simulation.runFor(MILLI);
    assertThat(second.chosen).containsExactly(worker(1));
    fixture.simulation.runFor(10 * MILLI);
    assertThat(first.completed).isTrue();
    assertThat(second.completed).isTrue();
    assertThat(second.items).isEqualTo(3);
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldLeaveTheQueueWhenTheClientCancels() {
    fixture.serve(1, fixture.tokens(3));
    fixture.client("a").start(dispatcher);
    Client second = fixture.client("b").start(dispatcher);
    fixture.simulation.runFor(MILLI / 2);
    second.cancel();
    fixture.simulation.runFor(10 * MILLI);

    assertThat(second.chosen).isEmpty();
    assertThat(second.isTerminated()).isFalse();
    assertThat(router.queueStatus().requests()).isZero();
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldWaitNoLongerThanTheAttemptMay() {
    fixture.serve(1, (requestId, request, sink) -> {}); // never answers
    fixture.client("a").start(dispatcher);
    Client second = fixture.client("b");
    second.attempt().deadlineNanos(fixture.simulation.nowNanos() + 5 * MILLI);
    second.start(dispatcher);
    fixture.simulation.runFor(4 * MILLI);
    assertThat(second.isTerminated()).isFalse();

    fixture.simulation.runFor(2 * MILLI);
    assertThat(second.failure)
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.DEADLINE_EXCEEDED));
  }

  @Test
  void shouldTellAtOnceThatNobodyIsThere() {
    Client client = fixture.client("a").start(dispatcher);
    fixture.simulation.runFor(MILLI);

    assertThat(client.failure).isInstanceOf(NoEligibleWorkerException.class);
  }

  @Test
  void shouldFreeWhatIsChosenForAClientWhoseLaneIsClosed() {
    fixture.serve(1, fixture.tokens(3));
    Client first = fixture.client("a").start(dispatcher);
    fixture.simulation.runFor(MILLI / 4);
    Client second = fixture.client("b").on("client").start(dispatcher);
    fixture.simulation.runFor(MILLI / 4);
    fixture.simulation.node("client").shutdown();

    fixture.simulation.runFor(10 * MILLI);

    assertThat(first.completed).isTrue();
    assertThat(second.chosen).isEmpty();
    assertThat(router.queueStatus().requests()).isZero();
    assertThat(router.bookingCount()).isZero();
  }
}
