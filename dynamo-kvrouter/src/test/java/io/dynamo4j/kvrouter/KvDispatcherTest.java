// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.DispatchFixture.MILLI;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.DispatchFixture.Client;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class KvDispatcherTest {
  private final DispatchFixture fixture = new DispatchFixture(1);
  private final KvRouter router = fixture.router();
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
      fixture.kv(router);

  @Test
  void shouldHoldTheBookingFromTheChoiceToTheEnd() {
    fixture.serve(1, fixture.tokens(3));
    List<WorkerLoad> atTheEnd = new ArrayList<>();
    Client client = fixture.client("r").whenTerminal(c -> atTheEnd.add(router.load(worker(1))));

    client.start(dispatcher);
    assertThat(router.load(worker(1))).isEqualTo(WorkerLoad.NONE);
    fixture.simulation.runFor(MILLI / 2);
    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(16, 4, 1));
    fixture.simulation.runFor(MILLI);
    assertThat(client.items).isEqualTo(1);
    assertThat(router.load(worker(1))).isEqualTo(new WorkerLoad(0, 4, 1));
    fixture.simulation.run();

    assertThat(client.items).isEqualTo(3);
    assertThat(client.completed).isTrue();
    assertThat(client.opened).isTrue();
    assertThat(atTheEnd).containsExactly(WorkerLoad.NONE);
  }

  @Test
  void shouldDoNothingBeforeItIsSubscribedTo() {
    fixture.serve(1, fixture.tokens(1));

    ResponseStream<LLMEngineOutput> stream =
        dispatcher.dispatch(DispatchFixture.request("r"), fixture.client("r").attempt().build());
    fixture.simulation.run();

    assertThat(stream).isNotNull();
    assertThat(router.bookingCount()).isZero();
    assertThat(fixture.indexer.lookups()).isZero();
  }

  @Test
  void shouldNeverSignalInsideSubscribe() {
    fixture.serve(1, fixture.tokens(1));

    Client client = fixture.client("r").start(dispatcher);

    assertThat(client.subscribed).isFalse();
    assertThat(client.chosen).isEmpty();
  }

  @Test
  void shouldNameTheWorkerBeforeItSends() {
    List<Integer> chosenBeforeSending = new ArrayList<>();
    Client client = fixture.client("r");
    fixture.serve(
        1,
        (id, request, sink) -> {
          chosenBeforeSending.add(client.chosen.size());
          sink.complete();
        });

    client.start(dispatcher);
    fixture.simulation.run();

    assertThat(chosenBeforeSending).containsExactly(1);
    assertThat(client.chosen).containsExactly(worker(1));
  }

  @Test
  void shouldFreeBeforeTheErrorOfAWorkerThatCannotBeReached() {
    fixture.register(1);
    List<Integer> bookings = new ArrayList<>();
    Client client = fixture.client("r").whenTerminal(c -> bookings.add(router.bookingCount()));

    client.start(dispatcher);
    fixture.simulation.run();

    assertThat(type(client)).isEqualTo(ErrorType.CANNOT_CONNECT);
    assertThat(client.chosen).containsExactly(worker(1));
    assertThat(bookings).containsExactly(0);
  }

  @Test
  void shouldFreeBeforeTheErrorOfAWorkerThatDies() {
    ServedEndpoint endpoint = fixture.serve(1, fixture.tokens(100));
    List<Integer> bookings = new ArrayList<>();
    Client client = fixture.client("r").whenTerminal(c -> bookings.add(router.bookingCount()));

    client.start(dispatcher);
    fixture.simulation.runFor(10 * MILLI);
    endpoint.abort();
    fixture.simulation.run();

    assertThat(type(client)).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(bookings).containsExactly(0);
  }

  @Test
  void shouldRetryWhereItsOwnBookingIsGone() {
    fixture.register(1);
    fixture.serve(2, fixture.tokens(1));
    fixture.indexer.hold(worker(1), 4);
    Client retry = fixture.client("r");
    retry.attempt().number(1).excludedWorkers(Set.of(worker(1)));
    Client client = fixture.client("r").whenTerminal(c -> retry.start(dispatcher));

    client.start(dispatcher);
    fixture.simulation.run();

    assertThat(client.chosen).containsExactly(worker(1));
    assertThat(retry.chosen).containsExactly(worker(2));
    assertThat(retry.completed).isTrue();
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldFreeInsideCancelAndReachTheWorker() {
    List<String> cancelled = new ArrayList<>();
    fixture.serve(1, (id, request, sink) -> sink.onCancel(() -> cancelled.add(id)));
    Client client = fixture.client("r").start(dispatcher);
    fixture.simulation.runFor(MILLI);
    assertThat(router.bookingCount()).isEqualTo(1);

    client.cancel();

    assertThat(router.bookingCount()).isZero();
    fixture.simulation.run();
    assertThat(cancelled).containsExactly("r");
    assertThat(client.isTerminated()).isFalse();
  }

  @Test
  void shouldSendNothingWhenCancelledAtOnce() {
    List<String> served = new ArrayList<>();
    fixture.serve(1, (id, request, sink) -> served.add(id));
    Client client = fixture.client("r");
    dispatcher
        .dispatch(DispatchFixture.request("r"), client.attempt().build())
        .subscribe(new CancelAtOnce(client));

    fixture.simulation.run();

    assertThat(served).isEmpty();
    assertThat(client.chosen).isEmpty();
    assertThat(router.bookingCount()).isZero();
  }

  /** Cancels inside onSubscribe. */
  private record CancelAtOnce(Client client) implements Flow.Subscriber<LLMEngineOutput> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.cancel();
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      client.onNext(item);
    }

    @Override
    public void onError(Throwable throwable) {
      client.onError(throwable);
    }

    @Override
    public void onComplete() {
      client.onComplete();
    }
  }

  @Test
  void shouldFreeWhenTheListenerCancels() {
    List<String> served = new ArrayList<>();
    fixture.serve(1, (id, request, sink) -> served.add(id));
    Client client = fixture.client("r");
    client
        .attempt()
        .listener(
            new AttemptListener() {
              @Override
              public void workerChosen(WorkerWithDpRank worker) {
                client.cancel();
              }

              @Override
              public void streamOpened() {}
            });

    client.start(dispatcher);
    fixture.simulation.run();

    assertThat(served).isEmpty();
    assertThat(router.bookingCount()).isZero();
    assertThat(client.isTerminated()).isFalse();
  }

  @Test
  void shouldReportAnEmptyFleetOnTheStream() {
    Client client = fixture.client("r").start(dispatcher);

    fixture.simulation.run();

    assertThat(client.failure).isInstanceOf(NoEligibleWorkerException.class);
    assertThat(client.chosen).isEmpty();
  }

  @Test
  void shouldNotTakeAnItemWithoutTokensForTheFirstToken() {
    fixture.serve(
        1,
        (id, request, sink) -> {
          sink.next(LLMEngineOutput.of(TokenSlice.empty()));
          fixture
              .simulation
              .controller()
              .schedule(
                  () -> {
                    sink.next(LLMEngineOutput.last(TokenSlice.of(1), FinishReason.STOP));
                    sink.complete();
                  },
                  MILLI);
        });
    List<Long> prefillTokens = new ArrayList<>();
    Client client =
        fixture
            .client("r")
            .whenItem(c -> prefillTokens.add(router.load(worker(1)).prefillTokens()));

    client.start(dispatcher);
    fixture.simulation.run();

    assertThat(prefillTokens).containsExactly(16L, 0L);
    assertThat(client.completed).isTrue();
  }

  @Test
  void shouldPassDemandOn() {
    fixture.serve(1, fixture.tokens(5));
    Client client = fixture.client("r").demanding(2).start(dispatcher);

    fixture.simulation.run();
    assertThat(client.items).isEqualTo(2);
    assertThat(router.bookingCount()).isEqualTo(1);
    client.demand(1);
    fixture.simulation.run();
    assertThat(client.items).isEqualTo(3);
    client.demand(Long.MAX_VALUE);
    fixture.simulation.run();

    assertThat(client.items).isEqualTo(5);
    assertThat(client.completed).isTrue();
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldFailAStreamWhoseSubscriberDemandsNothing() {
    fixture.serve(1, fixture.tokens(5));
    Client client = fixture.client("r").demanding(-1).start(dispatcher);

    fixture.simulation.run();

    assertThat(client.failure)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldRefuseASecondSubscriber() {
    fixture.serve(1, fixture.tokens(1));
    Client client = fixture.client("r");
    Client second = fixture.client("second");
    ResponseStream<LLMEngineOutput> stream =
        dispatcher.dispatch(DispatchFixture.request("r"), client.attempt().build());

    stream.subscribe(client);
    stream.subscribe(second);
    fixture.simulation.run();

    assertThat(client.completed).isTrue();
    assertThat(second.subscribed).isTrue();
    assertThat(second.failure).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldFreeWhenTheSubscriberThrows() {
    fixture.serve(1, fixture.tokens(5));
    Client client =
        fixture
            .client("r")
            .whenItem(
                c -> {
                  throw new IllegalStateException("subscriber is broken");
                });

    client.start(dispatcher);

    assertThatThrownBy(fixture.simulation::run).isInstanceOf(SimulationFailure.class);
    assertThat(router.bookingCount()).isZero();
  }

  @ParameterizedTest
  @MethodSource("io.dynamo4j.kvrouter.HostFaultsTest#throwables")
  void shouldFreeAndFailWhenTheAdapterOfTheHostThrows(Throwable thrown) {
    List<String> cancelled = new ArrayList<>();
    fixture.serve(
        1,
        (id, request, sink) -> {
          sink.onCancel(() -> cancelled.add(id));
          sink.next(DispatchFixture.token());
        });
    RoutingAdapter<PreprocessedRequest, LLMEngineOutput> own = RoutingAdapter.preprocessed();
    RoutingAdapter<PreprocessedRequest, LLMEngineOutput> broken =
        new RoutingAdapter<>() {
          @Override
          public TokenSlice tokenIds(PreprocessedRequest request) {
            return own.tokenIds(request);
          }

          @Override
          public RoutingHints routing(PreprocessedRequest request) {
            return own.routing(request);
          }

          @Override
          public int tokenCount(LLMEngineOutput item) {
            KvDispatcherTest.<RuntimeException>sneak(thrown);
            return 0;
          }
        };
    Client client =
        fixture
            .client("r")
            .start(KvDispatcher.builder(broken).router(router).requestPlane(fixture.plane).build());

    fixture.simulation.run();

    assertThat(type(client)).isEqualTo(ErrorType.INTERNAL);
    assertThat(client.failure).hasCause(thrown);
    assertThat(client.items).isZero();
    assertThat(router.bookingCount()).isZero();
    assertThat(cancelled).containsExactly("r");
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** What an adapter answers null to, in this order. */
  private enum Unanswered {
    TOKENS,
    ROUTING,
    OVERRIDE,
    ADDRESS
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailAndKeepNothingBookedWhereTheAdapterAnswersNull(Unanswered what) {
    fixture.directory.register(RouterFixture.instance(1).dpRanks(0, 2).build());
    RoutingAdapter<PreprocessedRequest, LLMEngineOutput> own = RoutingAdapter.preprocessed();
    RoutingAdapter<PreprocessedRequest, LLMEngineOutput> mute =
        new RoutingAdapter<>() {
          @Override
          public TokenSlice tokenIds(PreprocessedRequest request) {
            return unless(Unanswered.TOKENS, own.tokenIds(request));
          }

          @Override
          public RoutingHints routing(PreprocessedRequest request) {
            return unless(Unanswered.ROUTING, own.routing(request));
          }

          @Override
          public RouterConfigOverride configOverride(PreprocessedRequest request) {
            return unless(Unanswered.OVERRIDE, own.configOverride(request));
          }

          @Override
          public PreprocessedRequest addressedTo(
              PreprocessedRequest request, WorkerWithDpRank rank) {
            return unless(Unanswered.ADDRESS, own.addressedTo(request, rank));
          }

          @Override
          public int tokenCount(LLMEngineOutput item) {
            return own.tokenCount(item);
          }

          @SuppressWarnings("NullAway")
          private <T> T unless(Unanswered now, T answer) {
            return now == what ? null : answer;
          }
        };
    Client client =
        fixture
            .client("r")
            .start(KvDispatcher.builder(mute).router(router).requestPlane(fixture.plane).build());

    fixture.simulation.run();

    assertThat(type(client)).isEqualTo(ErrorType.INTERNAL);
    assertThat(client.failure).hasCauseInstanceOf(NullPointerException.class);
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldReportAPolicyThatBreaksItsContract() {
    fixture.serve(1, fixture.tokens(1));
    KvRouter broken =
        KvRouter.builder()
            .environment(fixture.simulation.environment("gateway"))
            .directory(fixture.directory)
            .indexer(fixture.indexer)
            .selector(
                (request, candidates, random) -> {
                  throw new IllegalStateException("policy is broken");
                })
            .build();
    Client client = fixture.client("r").start(fixture.kv(broken));

    fixture.simulation.run();

    assertThat(type(client)).isEqualTo(ErrorType.INTERNAL);
    assertThat(Objects.requireNonNull(client.failure).getCause()).hasMessage("policy is broken");
    assertThat(broken.bookingCount()).isZero();
  }

  @Test
  void shouldHonourTheRequestsOwnHints() {
    fixture.serve(1, fixture.tokens(1));
    fixture.serve(2, fixture.tokens(1));
    fixture.indexer.hold(worker(1), 4);
    PreprocessedRequest request =
        DispatchFixture.request("r").toBuilder()
            .routing(RoutingHints.builder().pinnedWorker(worker(2)).build())
            .build();

    Client client = fixture.client("r").start(dispatcher, request);
    fixture.simulation.run();

    assertThat(client.chosen).containsExactly(worker(2));
  }

  private static ErrorType type(Client client) {
    assertThat(client.failure).isInstanceOf(DynamoException.class);
    return ((DynamoException) Objects.requireNonNull(client.failure)).errorType();
  }
}
