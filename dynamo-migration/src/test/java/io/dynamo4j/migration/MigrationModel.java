// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.migration.event.MigrationPhase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a client must see, by walking through the scripts: no lanes, no demand, no callbacks, and
 * nothing shared with the migrator.
 */
final class MigrationModel {
  private static final long NEVER = Long.MAX_VALUE;
  private static final Set<ErrorType> MIGRATES =
      EnumSet.of(
          ErrorType.CANNOT_CONNECT,
          ErrorType.DISCONNECTED,
          ErrorType.CONNECTION_TIMEOUT,
          ErrorType.BACKEND_CANNOT_CONNECT,
          ErrorType.BACKEND_DISCONNECTED,
          ErrorType.BACKEND_CONNECTION_TIMEOUT,
          ErrorType.RESPONSE_TIMEOUT,
          ErrorType.ENGINE_SHUTDOWN,
          ErrorType.STREAM_INCOMPLETE,
          ErrorType.WORKER_UNAVAILABLE,
          ErrorType.WORKER_OVERLOADED,
          ErrorType.BACKEND_CANCELLED,
          ErrorType.CANCELLED);

  /** How the client's stream ends, if it does. */
  enum End {
    COMPLETED,
    FAILED,
    HANGS
  }

  private final Scenario scenario;
  private final int[] answer;
  private final List<Integer> deliveredAtDispatch = new ArrayList<>();
  private long attemptsLeft;
  private int delivered;
  private boolean openedOnce;
  private boolean tracking;
  private int exceeded;
  private int newRequests;
  private int ongoingRequests;
  private @Nullable MigrationPhase triggerPhase;
  private ErrorType trigger = ErrorType.INTERNAL;
  private End end = End.HANGS;
  private @Nullable ErrorType error;
  private @Nullable FinishReason finish;

  // One attempt.
  private boolean opened;
  private boolean held;
  private boolean over;
  private long time;
  private long deadline;

  private MigrationModel(Scenario scenario) {
    this.scenario = scenario;
    this.answer = Rig.answer(64);
    this.attemptsLeft = scenario.options.limit() + 1;
  }

  static MigrationModel of(Scenario scenario) {
    MigrationModel model = new MigrationModel(scenario);
    int worker = 0;
    while (model.attempt(worker)) {
      worker++;
    }
    return model;
  }

  int[] tokens() {
    return Arrays.copyOf(answer, delivered);
  }

  End end() {
    return end;
  }

  @Nullable ErrorType error() {
    return error;
  }

  @Nullable FinishReason finish() {
    return finish;
  }

  int exceeded() {
    return exceeded;
  }

  int newRequests() {
    return newRequests;
  }

  int ongoingRequests() {
    return ongoingRequests;
  }

  /** Returns how many tokens had been delivered when each worker was asked, in order. */
  List<Integer> deliveredAtDispatch() {
    return deliveredAtDispatch;
  }

  /** Plays one attempt; returns whether another follows. */
  private boolean attempt(int worker) {
    attemptsLeft--;
    opened = false;
    held = false;
    over = false;
    time = 0;
    deadline = stallDeadline();
    if (worker == scenario.workers.size()) {
      return lose(ErrorType.UNAVAILABLE);
    }
    deliveredAtDispatch.add(delivered);
    for (Act act : scenario.workers.get(worker)) {
      if (act instanceof Act.Pause pause) {
        time += pause.nanos();
        if (time > deadline) {
          return expire();
        }
      } else if (act instanceof Act.Fail fail) {
        return lose(fail.type());
      } else if (act instanceof Act.Complete) {
        open();
        return lose(ErrorType.STREAM_INCOMPLETE);
      } else {
        open();
        play(act);
        if (over) {
          return false;
        }
      }
    }
    return deadline != NEVER && expire();
  }

  private void play(Act act) {
    if (held || finish != null) {
      return;
    }
    if (act instanceof Act.Tokens tokens) {
      deliver(tokens.count(), null);
    } else if (act instanceof Act.Finish last) {
      if (last.reason() == FinishReason.CANCELLED) {
        held = true;
        deadline = endDeadline();
      } else {
        deliver(last.count(), last.reason());
      }
    }
  }

  private void deliver(int count, @Nullable FinishReason reason) {
    int room =
        (int) (scenario.maxTokens == StopConditions.UNSET ? count : scenario.maxTokens - delivered);
    int taken = Math.min(count, room);
    if (tracking
        && taken > 0
        && Rig.PROMPT.length() + delivered + taken > scenario.options.maxSeqLen()) {
      outgrow();
    }
    delivered += taken;
    if (taken < count) {
      complete(FinishReason.LENGTH);
      over = true;
    } else if (reason != null) {
      finish = reason;
      deadline = endDeadline();
    } else {
      deadline = isBudgetSpent() ? endDeadline() : stallDeadline();
    }
  }

  private void open() {
    if (opened) {
      return;
    }
    opened = true;
    triggerPhase = null;
    deadline = isBudgetSpent() ? endDeadline() : stallDeadline();
    if (!openedOnce) {
      openedOnce = true;
      tracking = true;
      if (Rig.PROMPT.length() > scenario.options.maxSeqLen()) {
        outgrow();
      }
      if (scenario.extent != Replayability.Extent.ALWAYS) {
        attemptsLeft = 0;
      }
    }
    tracking &= attemptsLeft > 0;
  }

  private void outgrow() {
    attemptsLeft = 0;
    tracking = false;
    exceeded++;
  }

  private boolean expire() {
    if (held) {
      return lose(ErrorType.STREAM_INCOMPLETE);
    }
    return lose(opened ? ErrorType.RESPONSE_TIMEOUT : ErrorType.CONNECTION_TIMEOUT);
  }

  private boolean lose(ErrorType type) {
    if (finish != null) {
      return complete(finish);
    }
    if (isBudgetSpent()) {
      return complete(FinishReason.LENGTH);
    }
    if (delivered > 0 && scenario.stopTokenIds.contains(answer[delivered - 1])) {
      return complete(FinishReason.STOP);
    }
    boolean migrates = MIGRATES.contains(type) || (!opened && type == ErrorType.BACKEND_UNKNOWN);
    if (!migrates || scenario.extent == Replayability.Extent.NEVER) {
      return fail(type);
    }
    if (opened) {
      ongoingRequests++;
    } else {
      newRequests++;
    }
    if (triggerPhase == null) {
      triggerPhase = opened ? MigrationPhase.ONGOING_REQUEST : MigrationPhase.NEW_REQUEST;
      trigger = type;
    }
    return attemptsLeft > 0 || fail(type);
  }

  private boolean fail(ErrorType type) {
    ErrorType told = triggerPhase == MigrationPhase.ONGOING_REQUEST ? trigger : type;
    boolean cancelled = told == ErrorType.CANCELLED || told == ErrorType.BACKEND_CANCELLED;
    error = cancelled ? ErrorType.STREAM_INCOMPLETE : told;
    end = End.FAILED;
    return false;
  }

  private boolean complete(FinishReason reason) {
    finish = reason;
    end = End.COMPLETED;
    return false;
  }

  private boolean isBudgetSpent() {
    return scenario.maxTokens != StopConditions.UNSET
        && delivered > 0
        && delivered == scenario.maxTokens;
  }

  private long stallDeadline() {
    long stall = scenario.options.stallTimeoutNanos();
    return stall == 0 ? NEVER : time + stall;
  }

  private long endDeadline() {
    return time + scenario.options.endTimeoutNanos();
  }

  @Override
  public String toString() {
    return "delivered="
        + delivered
        + ", end="
        + end
        + ", error="
        + error
        + ", finish="
        + finish
        + ", dispatches="
        + deliveredAtDispatch;
  }
}
