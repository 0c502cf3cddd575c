// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What a {@link MigrationModel} says must be seen, beside the answer itself. */
final class ModelLog {

  /** What a scenario should reach now and then. */
  enum Fact {
    MIGRATED_TWICE,
    CAP_EXCEEDED,
    MIGRATED_BEFORE_FIRST_TOKEN,
    BOTH_PHASES,
    PAUSED,
    RULE_SPENT,
    WAITED,
    WAIT_FOUND_WORKER,
    WAIT_IN_VAIN,
    DEADLINE,
    DEADLINE_AFTER_WHOLE_ANSWER,
    HEDGED,
    HEDGE_WON,
    HEDGE_LOST,
    HEDGE_PARTNER_LOST,
    HEDGE_WITHOUT_WORKER,
    STALLED_UNOPENED,
    STALLED_BEFORE_TOKEN,
    STALLED_BETWEEN_TOKENS,
    LEARNED_STALL,
    MOVED,
    MOVE_REFUSED,
    MOVE_WITHOUT_WORKER,
    MOVE_OVERTAKEN_BY_FINISH,
    MOVE_OLD_WORKER_LOST,
    MOVE_TIME_UP,
    MOVED_WITHOUT_BUDGET
  }

  /** One dispatch that reached a worker. */
  record Dispatch(int worker, int number, int delivered, Set<Integer> excluded) {}

  final List<Dispatch> dispatches = new ArrayList<>();
  final Map<Fact, Integer> facts = new EnumMap<>(Fact.class);

  /** When somebody was asked or looked for, from the subscription on. */
  final List<Long> dispatchTimes = new ArrayList<>();

  int exceeded;
  int newRequests;
  int ongoingRequests;
  int hedges;
  int hedgesWon;
  int moves;
  int stalls;
  int waits;

  void dispatched(int worker, int number, int delivered, Set<Integer> excluded) {
    dispatches.add(new Dispatch(worker, number, delivered, new TreeSet<>(excluded)));
  }

  void sometimes(Fact fact) {
    facts.merge(fact, 1, Integer::sum);
  }

  @Override
  public String toString() {
    return "dispatches=" + dispatches + ", facts=" + facts;
  }
}
