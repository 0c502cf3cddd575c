// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a host's own code throws, wherever it is called: the client hears of it once, no worker
 * goes on for nobody, and nothing reaches the lane.
 */
class HostFaultTest {

  /** What is thrown. */
  enum Fault {
    EXCEPTION,
    ERROR,
    /** As languages without checked exceptions throw it. */
    CHECKED
  }

  private static Throwable planted(Fault fault) {
    return switch (fault) {
      case EXCEPTION -> new IllegalStateException("planted");
      case ERROR -> new NoClassDefFoundError("planted");
      case CHECKED -> new IOException("planted");
    };
  }

  private static void raise(@Nullable Fault fault) {
    if (fault != null) {
      throw sneaky(planted(fault));
    }
  }

  @SuppressWarnings("unchecked") // The point of it: nothing is declared.
  private static <E extends Throwable> RuntimeException sneaky(Throwable fault) throws E {
    throw (E) fault;
  }

  /** Who throws. */
  enum Place {
    DISPATCH,
    SUBSCRIBE,
    REQUEST,
    CANCEL,
    PROFILE,
    CONTINUATION,
    TOKENS,
    FINISH_REASON,
    FINISHED,
    CHOICE,
    CONTINUED,
    LISTENER
  }

  static Stream<Arguments> faults() {
    return Stream.of(Place.values())
        .flatMap(place -> Stream.of(Fault.values()).map(fault -> Arguments.of(place, fault)));
  }

  private final Simulation simulation = Simulation.builder().build();
  private final ScriptedDispatcher workers = ScriptedDispatcher.create();

  private DefaultMigrator<PreprocessedRequest, LLMEngineOutput> migrator(
      Place place, @Nullable Fault fault, MigrationOptions options) {
    return (DefaultMigrator<PreprocessedRequest, LLMEngineOutput>)
        Migrator.builder()
            .options(options)
            .adapter(new Adapter(place, fault))
            .dispatcher(dispatcher(place, fault))
            .environment(simulation.environment("gateway"))
            .listener(
                event -> {
                  if (place == Place.LISTENER) {
                    raise(fault);
                  }
                })
            .build();
  }

  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
      Place place, @Nullable Fault fault) {
    return (request, attempt) -> {
      if (place == Place.DISPATCH) {
        raise(fault);
      }
      ResponseStream<LLMEngineOutput> stream = workers.dispatch(request, attempt);
      return subscriber -> {
        if (place == Place.SUBSCRIBE) {
          raise(fault);
        }
        stream.subscribe(new Passing(subscriber, place, fault));
      };
    };
  }

  @ParameterizedTest
  @MethodSource("faults")
  void shouldEndOnceWhenHostsCodeThrows(Place place, Fault fault) {
    workers
        .worker(
            1,
            WorkerScript.open()
                .tokens(place == Place.FINISHED ? Rig.ANSWER : 2)
                .fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().tokens(4));
    DefaultMigrator<PreprocessedRequest, LLMEngineOutput> migrator =
        migrator(place, fault, MigrationOptions.builder().limit(1).build());
    RecordingClient client = RecordingClient.unbounded();

    migrator.migrate(Rig.request().build()).subscribe(client);
    simulation.run();
    if (place == Place.CANCEL || place == Place.LISTENER) {
      assertThat(client.tokens()).containsExactly(Rig.answer(6));
      client.cancel();
      simulation.run();
    } else {
      assertThat(client.failure().errorType())
          .isEqualTo(place == Place.CONTINUATION ? ErrorType.DISCONNECTED : ErrorType.INTERNAL);
      assertThat(workers.dispatches()).allMatch(d -> d.isCancelled() || d.isEnded());
    }

    assertThat(migrator.openRequests()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void shouldCompleteWhenCancellingTheLosingAttemptThrows(Fault fault) {
    workers
        .worker(1, WorkerScript.open().pauseNanos(1_000_000_000).answer())
        .worker(2, WorkerScript.open().answer());
    MigrationOptions options =
        MigrationOptions.builder().limit(1).hedgeAfter(Duration.ofMillis(100)).build();
    DefaultMigrator<PreprocessedRequest, LLMEngineOutput> migrator =
        migrator(Place.CANCEL, fault, options);
    RecordingClient client = RecordingClient.unbounded();

    migrator.migrate(Rig.request().build()).subscribe(client);
    simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    assertThat(client.isCompleted()).isTrue();
    assertThat(migrator.openRequests()).isZero();
  }

  /** What a dispatcher hands over that is null. */
  enum Nothing {
    SUBSCRIPTION,
    ITEM,
    ERROR,
    WORKER
  }

  @ParameterizedTest
  @EnumSource
  void shouldEndWhenDispatcherHandsNothingOver(Nothing nothing) {
    Rig rig =
        Rig.of(
            Migrator.builder().limit(0),
            next ->
                (request, attempt) ->
                    subscriber -> {
                      if (nothing == Nothing.WORKER) {
                        attempt.workerChosen(nothing());
                      }
                      if (nothing == Nothing.SUBSCRIPTION) {
                        subscriber.onSubscribe(nothing());
                      } else {
                        subscriber.onSubscribe(new Idle());
                      }
                      if (nothing == Nothing.ITEM) {
                        subscriber.onNext(nothing());
                      }
                      if (nothing == Nothing.ERROR) {
                        subscriber.onError(nothing());
                      }
                    });

    RecordingClient client = rig.run(Rig.request().build());
    if (nothing == Nothing.WORKER) {
      client.cancel();
      rig.simulation.run();
    } else {
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.INTERNAL);
    }
    assertThat(((DefaultMigrator<?, ?>) rig.migrator).openRequests()).isZero();
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // What a careless host does.
  private static <T> T nothing() {
    return null;
  }

  @ParameterizedTest
  @EnumSource(names = {"PROFILE", "CONTINUATION", "TOKENS", "FINISHED", "CONTINUED"})
  void shouldEndWhenAdapterReturnsNothing(Place place) {
    workers
        .worker(
            1,
            WorkerScript.open()
                .tokens(place == Place.FINISHED ? Rig.ANSWER : 2)
                .fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().answer());
    RecordingClient client = RecordingClient.unbounded();

    migrator(place, null, MigrationOptions.builder().limit(1).build())
        .migrate(Rig.request().build())
        .subscribe(client);
    simulation.run();

    assertThat(client.failure().errorType())
        .isEqualTo(place == Place.CONTINUATION ? ErrorType.DISCONNECTED : ErrorType.INTERNAL);
    assertThat(workers.dispatches()).allMatch(d -> d.isCancelled() || d.isEnded());
  }

  @ParameterizedTest
  @EnumSource
  void shouldEndWhenHostCannotMakeTheCutOfAnOverrun(Fault fault) {
    workers.worker(1, WorkerScript.open().chunk(Rig.ANSWER + 2));
    RecordingClient client = RecordingClient.unbounded();

    migrator(Place.FINISHED, fault, MigrationOptions.builder().limit(1).build())
        .migrate(Rig.request().build())
        .subscribe(client);
    simulation.run();

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.INTERNAL);
    assertThat(client.items()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void shouldGoOnWhenHostsJudgementOfErrorsThrows(Fault fault) {
    workers
        .worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().answer());
    RecordingClient client = RecordingClient.unbounded();

    Migrator.builder()
        .limit(1)
        .adapter(ReplayAdapter.preprocessed())
        .dispatcher(workers)
        .environment(simulation.environment("gateway"))
        .health(
            WorkerHealth.builder(simulation.environment("gateway").lanes().lane("health").clock())
                .verdicts(
                    type -> {
                      throw sneaky(planted(fault));
                    })
                .build())
        .build()
        .migrate(Rig.request().build())
        .subscribe(client);
    simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailWithBreakWhenHostsDirectoryThrows(Fault fault) {
    workers
        .worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().answer());
    RecordingClient client = RecordingClient.unbounded();

    Migrator.builder()
        .limit(1)
        .adapter(ReplayAdapter.preprocessed())
        .dispatcher(workers)
        .environment(simulation.environment("gateway"))
        .directory(new ThrowingDirectory(fault))
        .build()
        .migrate(MigrationRulesTest.StateThatTokensDoNotCarry.guided())
        .subscribe(client);
    simulation.run();

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(client.tokens()).containsExactly(Rig.answer(2));
  }

  /** What was kept in a race is passed on when the other attempt fails, not with an item. */
  @ParameterizedTest
  @EnumSource
  void shouldEndWhenAdapterThrowsForAnItemThatWasKept(Fault fault) {
    LLMEngineOutput note = LLMEngineOutput.of(TokenSlice.empty()).withText("note");
    workers
        .worker(1, WorkerScript.open().pauseNanos(500_000_000).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().item(note).pauseNanos(1_000_000_000).answer());
    MigrationOptions options =
        MigrationOptions.builder().limit(2).hedgeAfter(Duration.ofMillis(100)).build();
    DefaultMigrator<PreprocessedRequest, LLMEngineOutput> migrator =
        migrator(Place.CHOICE, fault, options);
    RecordingClient client = RecordingClient.unbounded();

    migrator.migrate(Rig.request().build()).subscribe(client);
    simulation.run();

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.INTERNAL);
    assertThat(migrator.openRequests()).isZero();
    assertThat(workers.dispatches()).allMatch(d -> d.isCancelled() || d.isEnded());
  }

  private record ThrowingDirectory(Fault fault) implements WorkerDirectory {
    @Override
    public List<WorkerInstance> instances() {
      throw sneaky(planted(fault));
    }

    @Override
    public Subscription watch(Scheduler lane, Listener listener) {
      return () -> {};
    }
  }

  private static final class Idle implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }

  private record Passing(
      Flow.Subscriber<? super LLMEngineOutput> target, Place place, @Nullable Fault fault)
      implements Flow.Subscriber<LLMEngineOutput> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      target.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {
              if (place == Place.REQUEST) {
                raise(fault);
              }
              subscription.request(n);
            }

            @Override
            public void cancel() {
              subscription.cancel();
              if (place == Place.CANCEL) {
                raise(fault);
              }
            }
          });
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      target.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {
      target.onError(failure);
    }

    @Override
    public void onComplete() {
      target.onComplete();
    }
  }

  /** Throws at one place, or returns nothing there. */
  private record Adapter(Place place, @Nullable Fault fault)
      implements ReplayAdapter<PreprocessedRequest, LLMEngineOutput> {

    private <T> T at(Place here, Supplier<T> value) {
      if (here != place) {
        return value.get();
      }
      raise(fault);
      return nothing();
    }

    private static ReplayAdapter<PreprocessedRequest, LLMEngineOutput> sound() {
      return ReplayAdapter.preprocessed();
    }

    @Override
    public RequestProfile profile(PreprocessedRequest request) {
      return at(Place.PROFILE, () -> sound().profile(request));
    }

    @Override
    public PreprocessedRequest continuation(
        PreprocessedRequest request, TokenSlice allTokens, long delivered) {
      return at(Place.CONTINUATION, () -> sound().continuation(request, allTokens, delivered));
    }

    @Override
    public TokenSlice tokens(LLMEngineOutput item) {
      return at(Place.TOKENS, () -> sound().tokens(item));
    }

    @Override
    public @Nullable FinishReason finishReason(LLMEngineOutput item) {
      return place == Place.FINISH_REASON
          ? at(Place.FINISH_REASON, () -> FinishReason.STOP)
          : sound().finishReason(item);
    }

    @Override
    public LLMEngineOutput finished(@Nullable LLMEngineOutput item, int kept, FinishReason reason) {
      return at(Place.FINISHED, () -> sound().finished(item, kept, reason));
    }

    @Override
    public LLMEngineOutput continued(LLMEngineOutput item, long replayed, LLMEngineOutput earlier) {
      return at(Place.CONTINUED, () -> sound().continued(item, replayed, earlier));
    }

    @Override
    public int choice(LLMEngineOutput item) {
      return at(Place.CHOICE, () -> sound().choice(item));
    }
  }
}
