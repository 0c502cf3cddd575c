// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The right answer to a case, by walking through its scripts: shares no code with the migrator.
 * Notes by rule where the recorded peer is known to be wrong.
 */
final class RightAnswer {
  static final String FINISHED_IS_FINAL = "migration-finished-answer-is-final";
  static final String BUDGET_IS_FINAL = "migration-spent-budget-is-final";
  static final String FAILED_WORKER_EXCLUDED = "migration-failed-worker-is-excluded";
  static final String UNASKED_CANCELLATION = "migration-unasked-cancellation-migrates";
  static final String INCOMPLETE_IS_NO_END = "migration-incomplete-stream-is-no-end";

  private static final Set<ErrorType> MIGRATES =
      EnumSet.of(
          ErrorType.DISCONNECTED,
          ErrorType.BACKEND_CANNOT_CONNECT,
          ErrorType.BACKEND_DISCONNECTED,
          ErrorType.BACKEND_CONNECTION_TIMEOUT,
          ErrorType.ENGINE_SHUTDOWN,
          ErrorType.STREAM_INCOMPLETE,
          ErrorType.WORKER_UNAVAILABLE,
          ErrorType.BACKEND_CANCELLED);
  private static final String ONGOING = "ongoing_request";

  private final MigrationCase recorded;
  private final PreprocessedRequest request;
  private final StopConditions stop;
  private final Set<String> rules = new LinkedHashSet<>();
  private final List<String> dispatches = new ArrayList<>();
  private final List<Integer> delivered = new ArrayList<>();
  private final Texts texts = new Texts();
  private final List<String> finishReasons = new ArrayList<>();
  private final Map<String, Long> counters = new TreeMap<>();
  private long attemptsLeft;
  private int position;
  private boolean tracking;
  private boolean finished;
  private boolean completed;

  private RightAnswer(MigrationCase recorded) {
    this.recorded = recorded;
    this.request = recorded.request();
    this.stop = request.stopConditions();
    this.attemptsLeft = recorded.options().limit() + 1;
  }

  static RightAnswer of(MigrationCase recorded) {
    RightAnswer answer = new RightAnswer(recorded);
    int dispatch = 0;
    while (answer.attempt(dispatch)) {
      dispatch++;
    }
    return answer;
  }

  Observation observation() {
    return new Observation(dispatches, completed, texts.texts(), finishReasons, counters);
  }

  /** Returns the rules that this case touches, in the order in which it does. */
  List<String> rules() {
    return List.copyOf(rules);
  }

  /** Plays one attempt; returns whether another follows. */
  private boolean attempt(int dispatch) {
    attemptsLeft--;
    dispatches.add(OurAnswer.show(sequence(), stop.rebased(delivered.size())));
    open(dispatch == 0);
    position = delivered.size();
    long budget = stop.rebased(delivered.size()).maxTokens();
    for (Act act : recorded.script(dispatch)) {
      if (act instanceof Act.Fail fail) {
        return lose(fail.type(), dispatch);
      } else if (act instanceof Act.End) {
        return end(dispatch);
      } else if (act instanceof Act.Generate generate) {
        List<Integer> tokens = generated(generate.count());
        if (!take(tokens, 0, generate.finish())) {
          return false;
        }
      } else if (act instanceof Act.Chunk chunk) {
        if (isCut(chunk.finish())) {
          rules.add(INCOMPLETE_IS_NO_END);
          return lose(ErrorType.STREAM_INCOMPLETE, dispatch);
        }
        if (!take(chunk.tokens(), chunk.choice(), chunk.finish())) {
          return false;
        }
      } else if (act instanceof Act.UpTo upTo) {
        answer(upTo, budget);
      }
    }
    throw new IllegalStateException("script has no end");
  }

  private static boolean isCut(@Nullable FinishReason finish) {
    return finish == FinishReason.CANCELLED || finish == FinishReason.ERROR;
  }

  private void open(boolean first) {
    if (first) {
      tracking = attemptsLeft > 0;
      if (request.tokenIds().length() > recorded.options().maxSeqLen()) {
        outgrow();
      }
      if (request.samplingOptions().n() > 1 || request.samplingOptions().guidedDecoding() != null) {
        attemptsLeft = 0;
      }
    }
    tracking &= attemptsLeft > 0;
  }

  private void outgrow() {
    attemptsLeft = 0;
    tracking = false;
    count("exceeded");
  }

  /** What a worker generates goes on by its own tokens; chunks as they stand do not count. */
  private List<Integer> generated(int count) {
    List<Integer> tokens = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tokens.add(recorded.generated(position++));
    }
    return tokens;
  }

  private void answer(Act.UpTo upTo, long budget) {
    long allowed = budget == StopConditions.UNSET ? 8 : budget;
    long count = Math.min(upTo.atMost(), allowed);
    for (long i = 0; i < count; i++) {
      take(generated(1), 0, i + 1 == count ? FinishReason.LENGTH : null);
    }
    if (count == 0) {
      take(List.of(), 0, FinishReason.LENGTH);
    }
  }

  /** Takes one chunk; false if the answer ends with it whatever the worker does. */
  private boolean take(List<Integer> tokens, int choice, @Nullable FinishReason finish) {
    if (finished) {
      if (!tokens.isEmpty() || finish != null) {
        rules.add(FINISHED_IS_FINAL);
      }
      return true;
    }
    long room =
        stop.maxTokens() == StopConditions.UNSET || request.samplingOptions().n() > 1
            ? tokens.size()
            : stop.maxTokens() - delivered.size();
    boolean cut = tokens.size() > room;
    List<Integer> kept = cut ? tokens.subList(0, (int) room) : tokens;
    long length = (long) request.tokenIds().length() + delivered.size() + kept.size();
    if (tracking && !kept.isEmpty() && length > recorded.options().maxSeqLen()) {
      outgrow();
    }
    kept.forEach(token -> texts.add(choice, token));
    delivered.addAll(kept);
    if (cut) {
      rules.add(BUDGET_IS_FINAL);
      return complete(FinishReason.LENGTH);
    }
    if (finish != null) {
      finishReasons.add(Texts.apiName(finish));
      finished = true;
    }
    return true;
  }

  private boolean end(int dispatch) {
    if (finished) {
      completed = true;
      return false;
    }
    rules.add(INCOMPLETE_IS_NO_END);
    return lose(ErrorType.STREAM_INCOMPLETE, dispatch);
  }

  private boolean lose(ErrorType type, int dispatch) {
    if (finished) {
      rules.add(FINISHED_IS_FINAL);
      completed = true;
      return false;
    }
    if (stop.maxTokens() != StopConditions.UNSET && delivered.size() == stop.maxTokens()) {
      rules.add(BUDGET_IS_FINAL);
      return complete(FinishReason.LENGTH);
    }
    if (!delivered.isEmpty()
        && !stop.ignoreEos()
        && delivered.size() >= stop.minTokens()
        && stop.stopTokenIds().contains(delivered.get(delivered.size() - 1))) {
      return complete(FinishReason.STOP);
    }
    if (type == ErrorType.BACKEND_CANCELLED) {
      rules.add(UNASKED_CANCELLATION);
    }
    if (!MIGRATES.contains(type) || recorded.isPinned()) {
      return false;
    }
    count(ONGOING);
    if (attemptsLeft == 0) {
      count(ONGOING + "/failure");
      return false;
    }
    if (dispatch + 1 == recorded.workerCount()) {
      if (!recorded.excludesFailedWorkers()) {
        rules.add(FAILED_WORKER_EXCLUDED);
      }
      count(ONGOING + "/failure");
      return false;
    }
    count(ONGOING + "/success");
    return true;
  }

  private boolean complete(FinishReason reason) {
    finishReasons.add(Texts.apiName(reason));
    completed = true;
    return false;
  }

  private void count(String name) {
    counters.merge(name, 1L, Long::sum);
  }

  private TokenSlice sequence() {
    int[] tokens = new int[request.tokenIds().length() + delivered.size()];
    request.tokenIds().copyTo(0, tokens, 0, request.tokenIds().length());
    for (int i = 0; i < delivered.size(); i++) {
      tokens[request.tokenIds().length() + i] = delivered.get(i);
    }
    return TokenSlice.wrap(tokens);
  }
}
