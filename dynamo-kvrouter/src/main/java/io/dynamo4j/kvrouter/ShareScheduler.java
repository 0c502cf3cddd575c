// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Deficit round robin over the policy classes: each in its turn may send what its quantum has saved
 * up, in uncached tokens, so that over time classes with work get tokens in proportion to their
 * quanta. A class of which nothing may go saves nothing.
 *
 * <p><b>Threads.</b> Belongs to the queue's lane.
 */
final class ShareScheduler {
  private final List<ClassQueue> classes;
  private int turn;

  ShareScheduler(List<ClassQueue> classes) {
    this.classes = List.copyOf(classes);
  }

  ClassQueue get(int index) {
    return classes.get(index);
  }

  /** Returns the class of the request that {@link #next} returned last. */
  ClassQueue chosen() {
    return classes.get(turn);
  }

  long promptTokens() {
    long sum = 0;
    for (ClassQueue each : classes) {
      sum += each.promptTokens();
    }
    return sum;
  }

  List<QueueStatus.OfClass> status() {
    List<QueueStatus.OfClass> status = new ArrayList<>(classes.size());
    for (ClassQueue each : classes) {
      status.add(each.status());
    }
    return status;
  }

  void unblock() {
    classes.forEach(ClassQueue::unblock);
  }

  /** Returns whose turn it is, null if nobody may go. */
  @Nullable Waiting next(BiPredicate<ClassQueue, Waiting> mayGo) {
    Waiting affordable = visit(mayGo, true);
    if (affordable != null || !saveUp(mayGo)) {
      return affordable;
    }
    return visit(mayGo, false);
  }

  /** Takes what a request costs off its class, which stays in its turn while it can afford more. */
  void sent(Waiting waiting) {
    ClassQueue line = chosen();
    line.deficit = line.size() == 0 ? 0 : line.deficit - waiting.cost();
    if (line.deficit < line.costOfFirst()) {
      turn = (turn + 1) % classes.size();
    }
  }

  private @Nullable Waiting visit(BiPredicate<ClassQueue, Waiting> mayGo, boolean earns) {
    for (int i = 0; i < classes.size(); i++) {
      int index = (turn + i) % classes.size();
      ClassQueue each = classes.get(index);
      Waiting first = each.firstToGo(waiting -> mayGo.test(each, waiting));
      if (first == null) {
        continue;
      }
      // Who stays in its turn goes on with what is left; whoever is visited anew earns first.
      if (earns && each.deficit < first.cost()) {
        each.deficit += each.policy.quantum();
      }
      if (each.deficit >= first.cost()) {
        turn = index;
        return first;
      }
    }
    return null;
  }

  /** Gives every class that could send as many quanta as the first of them to afford it needs. */
  private boolean saveUp(BiPredicate<ClassQueue, Waiting> mayGo) {
    long rounds = Long.MAX_VALUE;
    for (ClassQueue each : classes) {
      Waiting first = each.firstToGo(waiting -> mayGo.test(each, waiting));
      if (first != null) {
        long quantum = each.policy.quantum();
        long missing = first.cost() - each.deficit;
        rounds = Math.min(rounds, missing <= 0 ? 0 : (missing - 1) / quantum + 1);
      }
    }
    if (rounds == Long.MAX_VALUE) {
      return false;
    }
    for (ClassQueue each : classes) {
      if (each.firstToGo(waiting -> mayGo.test(each, waiting)) != null) {
        each.deficit += rounds * each.policy.quantum();
      }
    }
    return true;
  }
}
