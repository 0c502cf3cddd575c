// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;

/** What becomes of a worker in the one attempt that it gets. */
public sealed interface WorkerFate {

  /** Returns what the worker does, step by step. */
  WorkerScript script();

  /** Brings the whole answer. */
  record Answers() implements WorkerFate {
    @Override
    public WorkerScript script() {
      return WorkerScript.open().answer();
    }
  }

  /** Brings the whole answer, but not at once. */
  record AnswersLate(Duration pause) implements WorkerFate {
    @Override
    public WorkerScript script() {
      return WorkerScript.start()
          .pauseNanos(pause.toNanos())
          .opening()
          .pauseNanos(pause.toNanos())
          .answer();
    }
  }

  /** Brings the whole answer and a finish reason, then fails all the same. */
  record FailsAfterFinish(ErrorType type) implements WorkerFate {
    @Override
    public WorkerScript script() {
      return WorkerScript.open().answerUpTo(Integer.MAX_VALUE).fail(type);
    }
  }

  /** Generates more than was asked for and never says that it has finished. */
  record Overruns() implements WorkerFate {
    private static final int MORE_THAN_ANY_BUDGET = 2 * MigrationCase.MAX_TOKENS;

    @Override
    public WorkerScript script() {
      return WorkerScript.open().tokens(MORE_THAN_ANY_BUDGET).complete();
    }
  }

  /** Fails before its stream opens. */
  record Refuses(ErrorType type) implements WorkerFate {
    @Override
    public WorkerScript script() {
      return WorkerScript.refuse(type);
    }
  }

  /** Opens its stream and breaks after so many tokens, 0 included. */
  record BreaksAfter(int tokens, ErrorType type) implements WorkerFate {
    @Override
    public WorkerScript script() {
      return WorkerScript.open().tokens(tokens).fail(type);
    }
  }

  /** Ends its stream in order after so many tokens, but without a finish reason. */
  record EndsAfter(int tokens) implements WorkerFate {
    @Override
    public WorkerScript script() {
      return WorkerScript.open().tokens(tokens).complete();
    }
  }

  /** Takes the request and is not heard of again, not even after a cancel. */
  record NeverOpens() implements WorkerFate {
    @Override
    public WorkerScript script() {
      return WorkerScript.start();
    }
  }

  /**
   * Falls silent after so many tokens; what it brings once it wakes up, deaf to the cancel, must
   * reach nobody.
   */
  record HangsAfter(int tokens) implements WorkerFate {
    @Override
    public WorkerScript script() {
      return WorkerScript.open()
          .tokens(tokens)
          .pauseNanos(MigrationCase.STALL_TIMEOUT.plusMillis(37).toNanos())
          .tokens(3)
          .ignoringCancel();
    }
  }
}
