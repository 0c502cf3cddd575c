// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.SignalFilter.Filtered;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Faults that a migrator could have, planted at its seams; the harness must catch each. */
enum PlantedBug {
  NONE,
  TOKEN_REPEATED {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
      boolean[] done = {false};
      return SignalFilter.items(
          stream,
          item -> {
            if (attempt.number() == 0 || done[0] || item.tokenIds().isEmpty()) {
              return item;
            }
            done[0] = true;
            int[] longer = new int[item.tokenIds().length() + 1];
            item.tokenIds().copyTo(0, longer, 1, longer.length - 1);
            longer[0] = longer[1];
            TokenSlice tokens = TokenSlice.wrap(longer);
            FinishReason finish = item.finishReason();
            return finish == null
                ? LLMEngineOutput.of(tokens)
                : LLMEngineOutput.last(tokens, finish);
          });
    }
  },
  CONTEXT_TOKEN_MISSING {
    @Override
    TokenSlice context(TokenSlice allTokens) {
      return allTokens.slice(0, allTokens.length() - 1);
    }
  },
  CONTEXT_TOKEN_ALTERED {
    @Override
    TokenSlice context(TokenSlice allTokens) {
      int[] altered = allTokens.toArray();
      altered[altered.length - 1] ^= 1;
      return TokenSlice.wrap(altered);
    }
  },
  BUDGET_NOT_REDUCED {
    @Override
    long rebasedBy(long delivered) {
      return 0;
    }
  },
  LATE_FRAME_ACCEPTED {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
      return subscriber -> stream.subscribe(new Redirecting(subscriber, attempt, memory));
    }
  },
  DEMAND_RESET_TO_UNBOUNDED {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
      return SignalFilter.demand(stream, n -> attempt.number() == 0 ? n : Long.MAX_VALUE);
    }
  },
  DEMAND_LOST {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
      boolean[] done = {attempt.number() == 0};
      return SignalFilter.demand(
          stream,
          n -> {
            long passed = done[0] ? n : 0;
            done[0] = true;
            return passed;
          });
    }
  },
  SECOND_ERROR_SWALLOWED {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
      return attempt.number() == 0 ? stream : SignalFilter.swallowingErrors(stream);
    }
  },
  COMPLETED_TWICE {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      return SignalFilter.completingTwice(stream);
    }
  },
  ERROR_HIDDEN_BY_CLEAN_END {
    @Override
    ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
      return SignalFilter.hidingErrors(stream);
    }
  },
  TIMER_NOT_CANCELLED,
  CANCEL_NOT_PASSED_ON {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
      return SignalFilter.ignoringCancel(stream);
    }
  },
  FAILED_WORKER_NOT_EXCLUDED {
    @Override
    Attempt attempt(Attempt attempt, Memory memory) {
      return SignalFilter.copy(attempt, new TreeSet<>(), true);
    }
  },
  EXCLUSIONS_SHARED_BETWEEN_REQUESTS {
    @Override
    Attempt attempt(Attempt attempt, Memory memory) {
      memory.excluded.addAll(attempt.excludedWorkers());
      return SignalFilter.copy(attempt, memory.excluded, true);
    }
  },
  PROLOGUE_IGNORED {
    @Override
    Attempt attempt(Attempt attempt, Memory memory) {
      return SignalFilter.copy(attempt, attempt.excludedWorkers(), false);
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
  FINISH_REASON_OVERLOOKED {
    @Override
    @Nullable FinishReason finishReason(@Nullable FinishReason reason) {
      return reason == FinishReason.EOS ? null : reason;
    }
  },
  UNASKED_CANCELLATION_IS_A_CLEAN_END {
    @Override
    @Nullable FinishReason finishReason(@Nullable FinishReason reason) {
      return reason == FinishReason.CANCELLED ? FinishReason.STOP : reason;
    }
  },
  PIN_DROPPED {
    @Override
    Replayability replayability(Replayability replayability) {
      return replayability.extent() == Replayability.Extent.NEVER
          ? Replayability.always()
          : replayability;
    }
  },
  BACK_OFF_IGNORED {
    @Override
    RetryRule rule(RetryRule rule) {
      return RetryRule.builder()
          .limit(rule.limit())
          .within(Duration.ofNanos(rule.withinNanos()))
          .build();
    }
  },
  RULES_LIMIT_IGNORED {
    @Override
    RetryRule rule(RetryRule rule) {
      return RetryRule.builder()
          .backOff(rule.backOff())
          .within(Duration.ofNanos(rule.withinNanos()))
          .build();
    }
  },
  RULES_TIME_IGNORED {
    @Override
    RetryRule rule(RetryRule rule) {
      return RetryRule.builder().backOff(rule.backOff()).limit(rule.limit()).build();
    }
  },
  DEADLINE_IGNORED {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().deadline(Duration.ZERO).build();
    }
  },
  PROLOGUE_TIMEOUT_IGNORED {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().prologueTimeout(Duration.ZERO).build();
    }
  },
  FIRST_TOKEN_TIMEOUT_IGNORED {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().firstTokenTimeout(Duration.ZERO).build();
    }
  },
  PACE_NOT_LEARNED {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().stallDetection(StallDetection.off()).build();
    }
  },
  PACE_WITHOUT_FLOOR {
    @Override
    MigrationOptions options(MigrationOptions options) {
      StallDetection detection = options.stallDetection();
      return detection.isOff()
          ? options
          : options.toBuilder()
              .stallDetection(StallDetection.of(detection.factor(), Duration.ofNanos(1)))
              .build();
    }
  },
  NOBODY_WAITS_FOR_WORKERS {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().replacementWait(Duration.ZERO).build();
    }
  },
  WAIT_WITHOUT_END {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.replacementWaitNanos() == 0
          ? options
          : options.toBuilder().replacementWait(Duration.ofHours(1)).build();
    }
  },
  FIRST_TOKEN_NOT_HEDGED {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().hedgeAfter(Duration.ZERO).build();
    }
  },
  HEDGE_LOSER_NOT_CANCELLED {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
      return attempt.number() == 1 ? SignalFilter.ignoringCancel(stream) : stream;
    }
  },
  HEDGE_AT_THE_SAME_WORKER {
    @Override
    Attempt attempt(Attempt attempt, Memory memory) {
      Set<WorkerWithDpRank> excluded = new TreeSet<>(attempt.excludedWorkers());
      excluded.remove(WorkerWithDpRank.of(1));
      return SignalFilter.copy(attempt, excluded, true);
    }
  },
  DRAIN_IGNORED {
    @Override
    boolean drains() {
      return false;
    }
  },
  MOVED_BEFORE_PROLOGUE {
    @Override
    Attempt attempt(Attempt attempt, Memory memory) {
      return SignalFilter.openingAtOnce(attempt);
    }
  },
  MOVE_LOSES_A_TOKEN {
    @Override
    ResponseStream<LLMEngineOutput> onAttempt(
        ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
      boolean[] done = {attempt.number() == 0};
      return SignalFilter.items(
          stream,
          item -> {
            if (done[0] || item.tokenIds().isEmpty() || item.finishReason() != null) {
              return item;
            }
            done[0] = true;
            return LLMEngineOutput.of(item.tokenIds().slice(1, item.tokenIds().length()));
          });
    }
  },
  TOKENS_LET_GO_BEFORE_A_MOVE {
    @Override
    MigrationOptions options(MigrationOptions options) {
      return options.toBuilder().without(Correction.MOVE_ON_DRAIN).build();
    }
  };

  ResponseStream<LLMEngineOutput> onAttempt(
      ResponseStream<LLMEngineOutput> stream, Attempt attempt, Memory memory) {
    return stream;
  }

  ResponseStream<LLMEngineOutput> onAnswer(ResponseStream<LLMEngineOutput> stream) {
    return stream;
  }

  Attempt attempt(Attempt attempt, Memory memory) {
    return attempt;
  }

  MigrationOptions options(MigrationOptions options) {
    return options;
  }

  MigrationPolicy policy(MigrationPolicy policy) {
    return policy.toBuilder()
        .rule(ErrorType.DISCONNECTED, rule(policy.rule(ErrorType.DISCONNECTED)))
        .build();
  }

  RetryRule rule(RetryRule rule) {
    return rule;
  }

  /** Returns whether workers drain at all. */
  boolean drains() {
    return true;
  }

  TokenSlice context(TokenSlice allTokens) {
    return allTokens;
  }

  long rebasedBy(long delivered) {
    return delivered;
  }

  @Nullable FinishReason finishReason(@Nullable FinishReason reason) {
    return reason;
  }

  Replayability replayability(Replayability replayability) {
    return replayability;
  }

  /** What a bug remembers from one attempt to the next. */
  static final class Memory {
    private final Set<WorkerWithDpRank> excluded = new TreeSet<>();
    private final Map<Scheduler, Flow.Subscriber<? super LLMEngineOutput>> latest =
        new LinkedHashMap<>();
  }

  /** The adapter of Dynamo's own types with this bug in it. */
  ReplayAdapter<PreprocessedRequest, LLMEngineOutput> adapter() {
    return new BuggyAdapter(this, ReplayAdapter.preprocessed());
  }

  private record BuggyAdapter(
      PlantedBug bug, ReplayAdapter<PreprocessedRequest, LLMEngineOutput> right)
      implements ReplayAdapter<PreprocessedRequest, LLMEngineOutput> {

    @Override
    public RequestProfile profile(PreprocessedRequest request) {
      RequestProfile profile = right.profile(request);
      return RequestProfile.builder(profile.requestId(), profile.tokens())
          .model(profile.model())
          .stopConditions(request.stopConditions())
          .replayability(bug.replayability(profile.replayability()))
          .build();
    }

    @Override
    public PreprocessedRequest continuation(
        PreprocessedRequest request, TokenSlice allTokens, long delivered) {
      return right.continuation(request, bug.context(allTokens), bug.rebasedBy(delivered));
    }

    @Override
    public TokenSlice tokens(LLMEngineOutput item) {
      return right.tokens(item);
    }

    @Override
    public @Nullable FinishReason finishReason(LLMEngineOutput item) {
      return bug.finishReason(right.finishReason(item));
    }

    @Override
    public LLMEngineOutput finished(@Nullable LLMEngineOutput item, int kept, FinishReason reason) {
      return right.finished(item, kept, reason);
    }
  }

  /** Sends what an attempt brings after it was given up to whoever subscribed last. */
  private static final class Redirecting extends Filtered {
    private final Scheduler lane;
    private final Memory memory;

    Redirecting(Flow.Subscriber<? super LLMEngineOutput> target, Attempt attempt, Memory memory) {
      super(target);
      this.lane = attempt.lane();
      this.memory = memory;
      memory.latest.put(lane, target);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      Objects.requireNonNull(memory.latest.get(lane)).onNext(item);
    }
  }
}
