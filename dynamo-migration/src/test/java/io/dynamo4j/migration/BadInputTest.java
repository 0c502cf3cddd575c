// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.testkit.script.WorkerScript;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Whatever a host, a dispatcher or a worker does wrong: a typed error or a counted drop. */
class BadInputTest {
  private static final LLMEngineOutput TOKEN = LLMEngineOutput.of(TokenSlice.of(1));
  private static final LLMEngineOutput END =
      LLMEngineOutput.last(TokenSlice.empty(), FinishReason.STOP);

  /** A dispatcher that sends these signals, whatever anybody asked for. */
  private static Rig signalling(
      long limit, Consumer<Flow.Subscriber<? super LLMEngineOutput>> signals) {
    return Rig.of(
        Migrator.builder().limit(limit),
        next ->
            (request, attempt) ->
                subscriber -> attempt.lane().execute(() -> signals.accept(subscriber)));
  }

  private static Flow.Subscription counting(List<String> calls) {
    return new Flow.Subscription() {
      @Override
      public void request(long n) {
        calls.add("request");
      }

      @Override
      public void cancel() {
        calls.add("cancel");
      }
    };
  }

  @Test
  void shouldFailWhenResponseHasNoTokensAtAll() {
    for (WorkerScript script :
        List.of(
            WorkerScript.open().complete(),
            WorkerScript.open().item(LLMEngineOutput.of(TokenSlice.empty())).complete())) {
      RecordingClient client = Rig.withLimit(0).worker(1, script).run(Rig.request().build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.STREAM_INCOMPLETE);
      assertThat(client.failure().tokensDelivered()).isZero();
    }
  }

  @Test
  void shouldDropAndCountTokensAfterFinish() {
    Rig rig =
        Rig.withLimit(0)
            .worker(1, WorkerScript.open().finish(FinishReason.STOP).tokens(2).complete());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.tokens()).isEmpty();
    assertThat(rig.migrator.stats().droppedSignals()).isEqualTo(2);
  }

  @Test
  void shouldDropAndCountSecondFinish() {
    Rig rig =
        Rig.withLimit(0)
            .worker(
                1,
                WorkerScript.open().finish(FinishReason.STOP).finish(FinishReason.EOS).complete());

    assertThat(rig.run(Rig.request().build()).finishReasons()).containsExactly(FinishReason.STOP);
    assertThat(rig.migrator.stats().droppedSignals()).isOne();
  }

  @Test
  void shouldRejectNegativeBudgets() {
    assertThatThrownBy(() -> StopConditions.builder().maxTokens(-2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxTokens=-2");
    assertThatThrownBy(() -> StopConditions.builder().minTokens(-2))
        .hasMessageContaining("minTokens=-2");
    assertThatThrownBy(() -> RequestProfile.builder("r", TokenSlice.empty()).choices(0))
        .hasMessageContaining("choices=0");
  }

  @Test
  void shouldDropSecondCompletion() {
    Rig rig =
        signalling(
            1,
            subscriber -> {
              subscriber.onSubscribe(counting(new ArrayList<>()));
              subscriber.onNext(END);
              subscriber.onComplete();
              subscriber.onComplete();
              subscriber.onError(new DynamoException(ErrorType.DISCONNECTED, "late"));
              subscriber.onNext(TOKEN);
            });

    assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
    assertThat(rig.migrator.stats().droppedSignals()).isEqualTo(3);
    assertThat(rig.ongoingRequests()).isZero();
  }

  @Test
  void shouldDropSignalsAfterCancel() {
    List<Flow.Subscriber<? super LLMEngineOutput>> kept = new ArrayList<>();
    List<String> calls = new ArrayList<>();
    Rig rig =
        signalling(
            1,
            subscriber -> {
              kept.add(subscriber);
              subscriber.onSubscribe(counting(calls));
            });
    RecordingClient client = RecordingClient.unbounded();
    rig.run(Rig.request().build(), client);

    client.cancel();
    rig.simulation.run();
    kept.get(0).onNext(TOKEN);
    kept.get(0).onComplete();

    assertThat(calls).last().isEqualTo("cancel");
    assertThat(client.items()).isEmpty();
    assertThat(rig.migrator.stats().droppedSignals()).isEqualTo(2);
  }

  @Test
  void shouldCountAsCancelledWhenTheEndComesInTheStepInWhichTheClientLeft() {
    Rig rig =
        signalling(
            0,
            subscriber -> {
              subscriber.onSubscribe(counting(new ArrayList<>()));
              subscriber.onNext(TOKEN);
              subscriber.onNext(END);
              subscriber.onComplete();
            });
    RecordingClient client = RecordingClient.unbounded().onItem(RecordingClient::cancel);

    rig.run(Rig.request().build(), client);

    assertThat(client.items()).hasSize(1);
    assertThat(rig.migrator.stats().requests(MigrationEvent.Outcome.CANCELLED)).isOne();
    assertThat(rig.migrator.stats().requests(MigrationEvent.Outcome.COMPLETED)).isZero();
  }

  @Test
  void shouldCancelSecondSubscription() {
    List<String> second = new ArrayList<>();
    Rig rig =
        signalling(
            1,
            subscriber -> {
              subscriber.onSubscribe(counting(new ArrayList<>()));
              subscriber.onSubscribe(counting(second));
              subscriber.onNext(END);
              subscriber.onComplete();
            });

    assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
    assertThat(second).containsExactly("cancel");
  }

  @Test
  void shouldFailWhenStreamRefusesItsSubscriber() {
    Rig rig =
        Rig.of(
            Migrator.builder().limit(1),
            next ->
                (request, attempt) ->
                    subscriber -> {
                      throw new IllegalStateException("planted");
                    });

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.INTERNAL);
    assertThat(client.failure()).hasRootCauseMessage("planted");
  }

  @Test
  void shouldJudgeFailureBeforeSubscriptionLikeAnyOther() {
    Rig rig =
        signalling(
            0, subscriber -> subscriber.onError(new DynamoException(ErrorType.DISCONNECTED, "x")));

    assertThat(rig.run(Rig.request().build()).failure().errorType())
        .isEqualTo(ErrorType.DISCONNECTED);
  }

  @Test
  void shouldFailWithProtocolErrorWhenItemsComeUnasked() {
    Rig rig =
        signalling(
            0,
            subscriber -> {
              subscriber.onSubscribe(counting(new ArrayList<>()));
              subscriber.onNext(TOKEN);
              subscriber.onNext(TOKEN);
            });
    RecordingClient client = RecordingClient.requesting(1);

    rig.run(Rig.request().build(), client);

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.BACKEND_PROTOCOL);
  }

  @Test
  void shouldEndOnceWhenSubscriberThrowsFromTerminalSignal() {
    Rig rig = Rig.withLimit(0).worker(1, WorkerScript.open().answer());
    int[] ends = {0};
    rig.simulation
        .controller()
        .execute(
            () ->
                rig.migrator
                    .migrate(Rig.request().build())
                    .subscribe(
                        new Flow.Subscriber<>() {
                          @Override
                          public void onSubscribe(Flow.Subscription subscription) {
                            subscription.request(Long.MAX_VALUE);
                          }

                          @Override
                          public void onNext(LLMEngineOutput item) {}

                          @Override
                          public void onError(Throwable error) {
                            throw new AssertionError("no error expected", error);
                          }

                          @Override
                          public void onComplete() {
                            ends[0]++;
                            throw new IllegalStateException("planted");
                          }
                        }));

    rig.simulation.run();

    assertThat(ends).containsExactly(1);
  }
}
