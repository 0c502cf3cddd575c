// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.ErrorType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a case's client must see, by walking through its workers; shares nothing with migrators. */
final class ExpectedAnswer {
  private final MigrationCase played;
  private final List<Integer> deliveredAtDispatch = new ArrayList<>();
  private int delivered;
  private boolean openedOnce;
  private boolean completed;
  private @Nullable ErrorType error;

  private ExpectedAnswer(MigrationCase played) {
    this.played = played;
  }

  static ExpectedAnswer of(MigrationCase played) {
    ExpectedAnswer expected = new ExpectedAnswer(played);
    int worker = 0;
    while (!expected.attempt(worker)) {
      worker++;
    }
    return expected;
  }

  /** Returns how many tokens had been delivered when each worker was asked. */
  List<Integer> deliveredAtDispatch() {
    return Collections.unmodifiableList(deliveredAtDispatch);
  }

  int delivered() {
    return delivered;
  }

  boolean isCompleted() {
    return completed;
  }

  /**
   * Returns the type of the client's error where the first attempt's veto decided it, else null.
   */
  @Nullable ErrorType error() {
    return error;
  }

  /** Plays one attempt; returns whether the answer has ended with it. */
  private boolean attempt(int worker) {
    if (worker == played.workers().size()) {
      return true; // nobody left
    }
    deliveredAtDispatch.add(delivered);
    WorkerFate fate = played.workers().get(worker);
    if (fate instanceof WorkerFate.Refuses refusal) {
      return lost(worker, refusal.type());
    } else if (fate instanceof WorkerFate.NeverOpens) {
      return lost(worker, ErrorType.CONNECTION_TIMEOUT);
    }
    openedOnce = true;
    if (fate instanceof WorkerFate.BreaksAfter broken) {
      bring(broken.tokens());
      return lost(worker, broken.type());
    } else if (fate instanceof WorkerFate.EndsAfter ended) {
      bring(ended.tokens());
      return lost(worker, ErrorType.STREAM_INCOMPLETE);
    } else if (fate instanceof WorkerFate.HangsAfter hanging) {
      bring(hanging.tokens());
      return lost(worker, ErrorType.RESPONSE_TIMEOUT);
    }
    bring(played.maxTokens());
    completed = true;
    return true;
  }

  private void bring(int tokens) {
    delivered = Math.min(played.maxTokens(), delivered + tokens);
  }

  private boolean lost(int worker, ErrorType type) {
    if (delivered == played.maxTokens()) {
      completed = true;
      return true;
    }
    if (MigrationCase.vetoingErrors().contains(type)) {
      error = worker == 0 ? type : null; // later, the error that began the search may be told
      return true;
    }
    boolean outgrown = openedOnce && played.promptTokens() + delivered > played.maxSeqLen();
    return outgrown || worker >= played.limit();
  }

  @Override
  public String toString() {
    return "delivered="
        + delivered
        + ", completed="
        + completed
        + ", dispatches="
        + deliveredAtDispatch;
  }
}
