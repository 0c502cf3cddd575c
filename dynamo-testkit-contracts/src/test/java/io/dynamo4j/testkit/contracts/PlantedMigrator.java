// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.DrainResult;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorStats;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Mistakes that a migrator can make, each planted at one seam of the right one. */
enum PlantedMigrator implements MigratorFactory {
  RIGHT,
  TOKEN_REPEATED {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt) {
      boolean[] done = {attempt.number() == 0};
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void onNext(LLMEngineOutput item) {
                  if (!done[0] && item.tokenIds().length() == 1) {
                    done[0] = true;
                    int token = item.tokenIds().get(0);
                    target.onNext(LLMEngineOutput.of(TokenSlice.of(token, token)));
                  } else {
                    target.onNext(item);
                  }
                }
              });
    }
  },
  TOKEN_LOST_FROM_CONTEXT {
    @Override
    PreprocessedRequest onDispatch(PreprocessedRequest request, Attempt attempt) {
      TokenSlice tokens = request.tokenIds();
      return attempt.number() == 0
          ? request
          : request.toBuilder().tokenIds(tokens.slice(0, tokens.length() - 1)).build();
    }
  },
  BUDGET_NOT_REDUCED {
    @Override
    PreprocessedRequest onDispatch(PreprocessedRequest request, Attempt attempt) {
      return attempt.number() == 0
          ? request
          : request.toBuilder()
              .stopConditions(
                  request.stopConditions().toBuilder()
                      .maxTokens(request.stopConditions().maxTokens() + 1)
                      .build())
              .build();
    }
  },
  REQUEST_ID_CHANGED {
    @Override
    PreprocessedRequest onDispatch(PreprocessedRequest request, Attempt attempt) {
      return attempt.number() == 0
          ? request
          : PreprocessedRequest.builder(request.requestId() + "'", request.tokenIds())
              .model(request.model())
              .stopConditions(request.stopConditions())
              .build();
    }
  },
  LIMIT_OFF_BY_ONE {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().limit(options.limit() + 1).build();
    }
  },
  CAP_IGNORED {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().maxSeqLen(MigrationOptions.MAX_UNSIGNED_INT).build();
    }
  },
  STALL_IGNORED {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().stallTimeout(Duration.ZERO).build();
    }
  },
  FIRST_TOKEN_NOT_RACED_FOR {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().hedgeAfter(Duration.ZERO).build();
    }
  },
  DRAIN_IGNORED {
    @Override
    CompletionStage<DrainResult> onDrain(
        Migrator<PreprocessedRequest, LLMEngineOutput> right, long workerId, Duration within) {
      return CompletableFuture.completedStage(new DrainResult(1, 0, 0, 0));
    }
  },
  DRAIN_NOT_WAITED_FOR {
    @Override
    CompletionStage<DrainResult> onDrain(
        Migrator<PreprocessedRequest, LLMEngineOutput> right, long workerId, Duration within) {
      return right.drain(workerId, Duration.ZERO);
    }
  },
  DRAIN_WITHOUT_END {
    @Override
    CompletionStage<DrainResult> onDrain(
        Migrator<PreprocessedRequest, LLMEngineOutput> right, long workerId, Duration within) {
      return right.drain(workerId, within.multipliedBy(1_000));
    }
  },
  FAILED_WORKER_NOT_EXCLUDED {
    @Override
    Set<WorkerWithDpRank> excluded(Attempt attempt, Set<WorkerWithDpRank> everFailed) {
      return new TreeSet<>();
    }
  },
  EXCLUSIONS_SHARED {
    @Override
    Set<WorkerWithDpRank> excluded(Attempt attempt, Set<WorkerWithDpRank> everFailed) {
      everFailed.addAll(attempt.excludedWorkers());
      return everFailed;
    }
  },
  CANCEL_SWALLOWED {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt) {
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void cancel() {}
              });
    }
  },
  DEMAND_UNBOUNDED_AFTER_MIGRATION {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt) {
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void request(long n) {
                  super.request(attempt.number() == 0 ? n : Long.MAX_VALUE);
                }
              });
    }
  },
  DEMAND_LOST_ON_MIGRATION {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt) {
      boolean[] first = {attempt.number() > 0};
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void request(long n) {
                  if (!first[0]) {
                    super.request(n);
                  }
                  first[0] = false;
                }
              });
    }
  },
  SECOND_ERROR_SWALLOWED {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void onError(Throwable failure) {}
              });
    }
  },
  ERROR_HIDDEN_BY_CLEAN_END {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void onError(Throwable failure) {
                  target.onComplete();
                }
              });
    }
  },
  ERROR_WITHOUT_TYPE {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void onError(Throwable failure) {
                  target.onError(new IllegalStateException(failure));
                }
              });
    }
  },
  COMPLETED_TWICE {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void onComplete() {
                  target.onComplete();
                  target.onComplete();
                }
              });
    }
  },
  FINISH_REASON_TWICE {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      return relayed(
          stream,
          target ->
              new Relay(target) {
                @Override
                public void onNext(LLMEngineOutput item) {
                  target.onNext(item);
                  if (item.finishReason() != null) {
                    target.onNext(LLMEngineOutput.last(TokenSlice.empty(), item.finishReason()));
                  }
                }
              });
    }
  },
  SIGNALS_INLINE {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      return target -> {
        Early early = new Early(target);
        target.onSubscribe(early);
        stream.subscribe(early);
      };
    }
  },
  SENDS_BEFORE_SUBSCRIPTION {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      stream.subscribe(new Early(new Nobody()));
      return stream;
    }
  };

  PreprocessedRequest onDispatch(PreprocessedRequest request, Attempt attempt) {
    return request;
  }

  ResponseStream<LLMEngineOutput> onAttempt(
      ResponseStream<LLMEngineOutput> stream, Attempt attempt) {
    return stream;
  }

  ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
    return stream;
  }

  CompletionStage<DrainResult> onDrain(
      Migrator<PreprocessedRequest, LLMEngineOutput> right, long workerId, Duration within) {
    return right.drain(workerId, within);
  }

  MigrationOptions options(MigrationOptions options) {
    return options;
  }

  Set<WorkerWithDpRank> excluded(Attempt attempt, Set<WorkerWithDpRank> everFailed) {
    return attempt.excludedWorkers();
  }

  @Override
  public Migrator<PreprocessedRequest, LLMEngineOutput> create(
      MigrationOptions options,
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
      Environment environment) {
    Set<WorkerWithDpRank> everFailed = new TreeSet<>();
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> planted =
        (request, attempt) ->
            onAttempt(
                dispatcher.dispatch(
                    onDispatch(request, attempt),
                    excluding(attempt, excluded(attempt, everFailed))),
                attempt);
    return new Planted(this, OurMigrator.create(options, planted, environment));
  }

  private static Attempt excluding(Attempt attempt, Set<WorkerWithDpRank> excluded) {
    return Attempt.builder(attempt.requestId(), attempt.lane())
        .number(attempt.number())
        .excludedWorkers(excluded)
        .listener(
            new AttemptListener() {
              @Override
              public void workerChosen(WorkerWithDpRank worker) {
                attempt.workerChosen(worker);
              }

              @Override
              public void streamOpened() {
                attempt.streamOpened();
              }
            })
        .build();
  }

  private interface RelayMaker {
    Relay around(Flow.Subscriber<? super LLMEngineOutput> target);
  }

  private static ResponseStream<LLMEngineOutput> relayed(
      ResponseStream<LLMEngineOutput> stream, RelayMaker relay) {
    return target -> stream.subscribe(relay.around(target));
  }

  private record Planted(PlantedMigrator bug, Migrator<PreprocessedRequest, LLMEngineOutput> right)
      implements Migrator<PreprocessedRequest, LLMEngineOutput> {

    @Override
    public ResponseStream<LLMEngineOutput> migrate(
        PreprocessedRequest request, MigrationOptions options) {
      return bug.onAnswer(right.migrate(request, bug.options(options)));
    }

    @Override
    public CompletionStage<DrainResult> drain(long workerId, Duration within) {
      return bug.onDrain(right, workerId, within);
    }

    @Override
    public MigrationOptions options() {
      return right.options();
    }

    @Override
    public MigratorStats stats() {
      return right.stats();
    }

    @Override
    public void close() {
      right.close();
    }
  }

  /** Passes every signal on as it is. */
  static class Relay implements Flow.Subscriber<LLMEngineOutput>, Flow.Subscription {
    final Flow.Subscriber<? super LLMEngineOutput> target;
    private Flow.Subscription upstream = new Nobody();

    Relay(Flow.Subscriber<? super LLMEngineOutput> target) {
      this.target = target;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      upstream = subscription;
      target.onSubscribe(this);
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

    @Override
    public void request(long n) {
      upstream.request(n);
    }

    @Override
    public void cancel() {
      upstream.cancel();
    }
  }

  /** Answers its subscriber before the stream does. */
  private static final class Early extends Relay {
    private long early;

    Early(Flow.Subscriber<? super LLMEngineOutput> target) {
      super(target);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      if (early > 0) {
        subscription.request(early);
      } else {
        super.onSubscribe(subscription);
      }
    }

    @Override
    public void request(long n) {
      early = n;
      super.request(n);
    }
  }

  /** Asks for nothing and listens to nothing. */
  private static final class Nobody implements Flow.Subscriber<LLMEngineOutput>, Flow.Subscription {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(LLMEngineOutput item) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}

    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }
}
