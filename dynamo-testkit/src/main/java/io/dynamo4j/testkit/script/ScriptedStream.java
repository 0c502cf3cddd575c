// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.script;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Plays one script to one subscriber, on the attempt's lane. */
final class ScriptedStream implements Flow.Subscription {
  /** What an engine generates when the request sets no budget. */
  private static final long DEFAULT_ANSWER_TOKENS = 16;

  private final ScriptedDispatch dispatch;
  private final WorkerScript script;
  private final TokenSource tokens;
  private final Scheduler lane;
  private final Deque<Step> steps;
  private final TokenAccumulator generated = TokenAccumulator.startingWith(TokenSlice.empty());
  private Flow.@Nullable Subscriber<? super LLMEngineOutput> subscriber;
  private boolean opened;
  private boolean queued;
  private boolean pausing;

  private ScriptedStream(
      ScriptedDispatch dispatch,
      WorkerScript script,
      TokenSource tokens,
      Flow.Subscriber<? super LLMEngineOutput> subscriber) {
    this.dispatch = dispatch;
    this.script = script;
    this.tokens = tokens;
    this.lane = dispatch.attempt().lane();
    this.steps = new ArrayDeque<>(script.steps());
    this.subscriber = subscriber;
  }

  static void play(
      ScriptedDispatch dispatch,
      WorkerScript script,
      TokenSource tokens,
      Flow.Subscriber<? super LLMEngineOutput> subscriber) {
    ScriptedStream stream = new ScriptedStream(dispatch, script, tokens, subscriber);
    stream.lane.execute(
        () -> {
          subscriber.onSubscribe(stream);
          stream.goOn();
        });
  }

  @Override
  public void request(long n) {
    dispatch.addRequested(n);
    goOn();
  }

  @Override
  public void cancel() {
    dispatch.setCancelled();
    if (!script.isDeaf()) {
      subscriber = null;
      steps.clear();
    }
  }

  private void goOn() {
    if (queued || pausing) {
      return;
    }
    queued = true;
    try {
      lane.execute(this::playNext);
    } catch (RejectedExecutionException laneClosed) {
      steps.clear();
    }
  }

  private void playNext() {
    queued = false;
    Flow.Subscriber<? super LLMEngineOutput> target = subscriber;
    Step step = steps.peek();
    if (target == null || step == null || pausing) {
      return;
    }
    if (step instanceof Step.Pause pause) {
      steps.remove();
      pausing = true;
      lane.schedule(this::endPause, pause.nanos());
    } else if (step instanceof Step.Open) {
      steps.remove();
      open();
      goOn();
    } else if (step instanceof Step.Complete) {
      end();
      open();
      target.onComplete();
    } else if (step instanceof Step.Fail fail) {
      end();
      target.onError(fail.error());
    } else if (dispatch.sentItems() < dispatch.requestedItems()) {
      send(target, step);
      goOn();
    }
  }

  private void send(Flow.Subscriber<? super LLMEngineOutput> target, Step step) {
    LLMEngineOutput item;
    if (step instanceof Step.Answer answer) {
      item = nextOfAnswer(answer);
      if (item.finishReason() != null) {
        steps.remove();
      }
    } else {
      steps.remove();
      item = step instanceof Step.Item raw ? raw.item() : make((Step.Chunk) step);
    }
    open();
    dispatch.addSent();
    target.onNext(item);
  }

  private LLMEngineOutput nextOfAnswer(Step.Answer answer) {
    long budget = dispatch.request().stopConditions().maxTokens();
    long unbudgeted = Math.min(answer.atMost(), DEFAULT_ANSWER_TOKENS);
    long allowed = budget == StopConditions.UNSET ? unbudgeted : Math.min(answer.atMost(), budget);
    long left = allowed - generated.length();
    int count = left > 0 ? 1 : 0;
    return make(new Step.Chunk(count, left <= count ? FinishReason.LENGTH : null));
  }

  private LLMEngineOutput make(Step.Chunk chunk) {
    int from = generated.length();
    for (int i = 0; i < chunk.tokens(); i++) {
      generated.append(tokens.next(dispatch.request().tokenIds(), generated.snapshot()));
    }
    TokenSlice added = generated.snapshot().slice(from, generated.length());
    return chunk.finish() == null
        ? LLMEngineOutput.of(added)
        : LLMEngineOutput.last(added, chunk.finish());
  }

  private void open() {
    if (!opened) {
      opened = true;
      dispatch.attempt().streamOpened();
    }
  }

  private void end() {
    steps.clear();
    subscriber = null;
    dispatch.setEnded();
  }

  private void endPause() {
    pausing = false;
    goOn();
  }
}
