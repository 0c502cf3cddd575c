// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** One attempt of a {@link MigrationModel}: a worker's script on the way. */
final class ModelRun {
  static final long NEVER = Long.MAX_VALUE;

  final int worker;
  final int number;
  final boolean isHedge;
  final long start;
  private final Deque<Act> acts;
  final Deque<Act> kept = new ArrayDeque<>();
  final List<Long> gaps = new ArrayList<>();
  long next;
  long progress;
  long lastToken = NEVER;
  boolean opened;
  boolean answered;
  long credit = NEVER;

  ModelRun(int worker, int number, boolean isHedge, List<Act> acts, long now) {
    this.worker = worker;
    this.number = number;
    this.isHedge = isHedge;
    this.acts = new ArrayDeque<>(acts);
    this.start = now;
    this.progress = now;
    this.next = now;
  }

  /** Returns the next act that is no pause, or null if nothing comes now. */
  Act take(long now) {
    Act act = acts.peek();
    if (act instanceof Act.Pause pause) {
      acts.remove();
      next = now + pause.nanos();
      return new Act.Pause(0);
    }
    if (act == null) {
      next = NEVER;
      return new Act.Pause(0);
    }
    if (credit == 0 && isItem(act)) {
      next = NEVER;
      return new Act.Pause(0);
    }
    acts.remove();
    if (isItem(act) && credit != NEVER) {
      credit--;
    }
    return act;
  }

  /** The client asks again. */
  void unblock(long now) {
    if (credit == 0 && next == NEVER) {
      next = now;
    }
    credit = NEVER;
  }

  static boolean isItem(Act act) {
    return act instanceof Act.Tokens || act instanceof Act.Note || act instanceof Act.Finish;
  }

  static int tokens(Act act) {
    if (act instanceof Act.Tokens tokens) {
      return tokens.count();
    }
    return act instanceof Act.Finish finish ? finish.count() : 0;
  }
}
