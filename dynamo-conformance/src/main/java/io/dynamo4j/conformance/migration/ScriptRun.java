// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.ResponseSink;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A worker playing one script to one caller, on the worker's lane. */
final class ScriptRun {
  private final ScriptedWorker worker;
  private final Leg leg;
  private final PreprocessedRequest request;
  private final ResponseSink<LLMEngineOutput> sink;
  private final Deque<Act> acts = new ArrayDeque<>();
  private final int replayed;
  private int made;
  private boolean stopped;
  private boolean waiting;
  private boolean over;

  ScriptRun(
      ScriptedWorker worker,
      Leg leg,
      PreprocessedRequest request,
      ResponseSink<LLMEngineOutput> sink) {
    this.worker = worker;
    this.leg = leg;
    this.request = request;
    this.sink = sink;
    this.replayed = request.tokenIds().length() - promptLength(leg);
  }

  /** Positions are counted from the prompt that the request's first dispatch had. */
  private int promptLength(Leg of) {
    Leg first = worker.fleet().legs(of.requestId).get(0);
    return first.received == null
        ? request.tokenIds().length()
        : first.received.path("token_ids").size();
  }

  Leg leg() {
    return leg;
  }

  PreprocessedRequest request() {
    return request;
  }

  void start(List<Act> script) {
    acts.addAll(script);
    sink.open();
    sink.onCancel(this::stop);
    goOn();
  }

  private void stop() {
    stopped = true;
    noteStop();
    if (waiting) {
      waiting = false;
      goOn();
    }
  }

  /** A process that stands still hears nothing. */
  private void noteStop() {
    if (stopped && !over && !worker.isFrozen() && leg.stoppedNanos == Leg.NEVER) {
      leg.stoppedNanos = worker.fleet().simulation.nowNanos();
    }
  }

  private void noteEnd(String how) {
    leg.ending = how;
    leg.overNanos = worker.fleet().simulation.nowNanos();
  }

  /** The process is gone. */
  void halt() {
    over = true;
  }

  void goOn() {
    noteStop();
    while (!over && !waiting && !worker.isFrozen()) {
      Act act = acts.poll();
      if (act == null) {
        finish();
        return;
      }
      play(act);
    }
  }

  private void play(Act act) {
    if (act instanceof Act.Generate generate) {
      send(generate.count(), generate.finish());
    } else if (act instanceof Act.Chunk chunk) {
      send(chunk);
    } else if (act instanceof Act.UpTo upTo) {
      answer(upTo);
    } else if (act instanceof Act.Sleep sleep) {
      pause(sleep.nanos());
    } else if (act instanceof Act.WaitStop wait) {
      if (!stopped) {
        pause(wait.nanos());
      }
    } else if (act instanceof Act.Hang) {
      waiting = !stopped;
    } else if (act instanceof Act.Freeze) {
      leg.ending = WorkerEvents.FROZEN;
      worker.freeze();
    } else if (act instanceof Act.Leave) {
      worker.leave();
    } else if (act instanceof Act.Exit) {
      noteEnd(WorkerEvents.EXITED);
      worker.die();
    } else if (act instanceof Act.Fail fail) {
      boolean undecodable = fail.raised().equals(ScriptParser.UNDECODABLE);
      noteEnd(undecodable ? WorkerEvents.UNDECODABLE : WorkerEvents.raised(fail.raised()));
      sink.fail(new DynamoException(fail.type(), "scripted: type=" + fail.type()));
      finish();
    } else {
      // A script that returns before its last step does so without a word.
      noteEnd(acts.isEmpty() ? WorkerEvents.returned(made) : WorkerEvents.NOTHING);
      sink.complete();
      finish();
    }
  }

  private void pause(long nanos) {
    waiting = true;
    worker.lane.schedule(
        () -> {
          if (waiting) {
            waiting = false;
            goOn();
          }
        },
        nanos);
  }

  private void finish() {
    if (!over) {
      over = true;
      worker.ended(this);
    }
  }

  private void answer(Act.UpTo upTo) {
    long budget = request.stopConditions().maxTokens();
    long left = budget == StopConditions.UNSET ? ScriptParser.DEFAULT_ANSWER_TOKENS : budget;
    for (long i = 0; i < Math.min(left, upTo.atMost()); i++) {
      send(1, null);
    }
    send(0, FinishReason.LENGTH);
  }

  private void send(int count, @Nullable FinishReason finish) {
    int[] tokens = new int[count];
    for (int i = 0; i < count; i++) {
      tokens[i] = worker.fleet().recorded.generated(replayed + made + i);
    }
    LLMEngineOutput item = item(tokens, finish);
    if (count > 0 && worker.fleet().recorded.reportsLogProbs()) {
      item = item.withLogProbs(Double.NaN, logProbs(replayed + made, count));
    }
    made += count;
    if (finish != null && worker.fleet().recorded.reportsUsage()) {
      long prompt = request.tokenIds().length();
      item = item.withUsage(new CompletionUsage(prompt, made, prompt / 2));
    }
    next(item);
  }

  /** What a process has not got rid of when it stands still stays with it. */
  private void next(LLMEngineOutput item) {
    if (worker.fleet().framesSurvive() || !freezesAtOnce()) {
      sink.next(item);
    }
  }

  private boolean freezesAtOnce() {
    for (Act act : acts) {
      if (act instanceof Act.Sleep || act instanceof Act.WaitStop || act instanceof Act.Hang) {
        return false;
      }
      if (act instanceof Act.Freeze) {
        return true;
      }
    }
    return false;
  }

  /** Returns what a recorded worker says of a token by its position. */
  static double[] logProbs(int from, int count) {
    double[] logProbs = new double[count];
    for (int i = 0; i < count; i++) {
      logProbs[i] = -0.5 - 0.01 * (from + i + 1);
    }
    return logProbs;
  }

  private void send(Act.Chunk chunk) {
    int[] tokens = chunk.tokens().stream().mapToInt(Integer::intValue).toArray();
    LLMEngineOutput item = item(tokens, chunk.finish()).withIndex(chunk.choice());
    next(chunk.usage() == null ? item : item.withUsage(chunk.usage()));
  }

  private static LLMEngineOutput item(int[] tokens, @Nullable FinishReason finish) {
    TokenSlice slice = TokenSlice.wrap(tokens);
    return finish == null ? LLMEngineOutput.of(slice) : LLMEngineOutput.last(slice, finish);
  }
}
