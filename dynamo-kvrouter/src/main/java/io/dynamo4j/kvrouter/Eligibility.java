// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which registered ranks may take a request: pin, allow-list, taints, ranks that already failed it,
 * drain marks. Ranks that failed other requests just now are avoided unless nobody else is left. Of
 * what may be chosen, the rank that the request's session is bound to is taken.
 *
 * <p><b>Threads.</b> Not thread-safe: belongs to its owner's lock.
 */
final class Eligibility {
  private static final int MAX_BUSY_RANKS = 16;

  private final WorkerDirectory directory;
  private final @Nullable WorkerHealth health;
  private final @Nullable LoadMonitor monitor;
  private final RankLoads loads;
  private RankTable table = RankTable.EMPTY;
  private int[] eligible = new int[0];
  private int count;
  private boolean hasAll;
  private boolean[] overloaded = new boolean[0];
  private boolean anyOverloaded;
  private boolean lastResort;

  /**
   * Sets the rules.
   *
   * @param monitor who knows busy thresholds, null where there are none
   * @param loads what is booked on a rank
   */
  Eligibility(
      WorkerDirectory directory,
      @Nullable WorkerHealth health,
      @Nullable LoadMonitor monitor,
      RankLoads loads) {
    this.directory = directory;
    this.health = health;
    this.monitor = monitor;
    this.loads = loads;
  }

  /** Returns the directory's ranks as of now. */
  RankTable refresh() {
    List<WorkerInstance> snapshot = directory.instances();
    if (!table.isOf(snapshot)) {
      table = RankTable.of(snapshot);
      eligible = new int[table.size()];
      hasAll = false;
      overloaded = new boolean[table.size()];
      anyOverloaded = false;
      count = 0;
    }
    return table;
  }

  /**
   * Finds the eligible ranks of the table last refreshed, in its order.
   *
   * @return how many there are
   */
  int collect(RoutingHints hints, Set<WorkerWithDpRank> failed) {
    weighLoads();
    lastResort = false;
    if (isOpenToAll(hints, failed)) {
      return collectAll();
    }
    count = collect(hints, failed, false);
    if (count == 0) {
      lastResort = true;
      count = collect(hints, failed, true);
    }
    return count;
  }

  /** Returns whether no rule can leave anybody out, which one look tells for all ranks. */
  private boolean isOpenToAll(RoutingHints hints, Set<WorkerWithDpRank> failed) {
    return hints.isForAnyRank()
        && hints.constraints().requiredTaints().isEmpty()
        && hints.preferredWorker() == null
        && failed.isEmpty()
        && !anyOverloaded
        && (health == null || health.isClear());
  }

  /** Finds the workers beyond a busy threshold: once a decision, for all of their ranks. */
  private void weighLoads() {
    if (monitor == null || !monitor.isActive()) {
      if (anyOverloaded) {
        Arrays.fill(overloaded, false);
        anyOverloaded = false;
      }
      return;
    }
    anyOverloaded = false;
    for (int i = 0; i < overloaded.length; i++) {
      boolean sameWorker = i > 0 && table.instance(i) == table.instance(i - 1);
      overloaded[i] =
          sameWorker ? overloaded[i - 1] : monitor.isOverloaded(table.instance(i), loads);
      anyOverloaded |= overloaded[i];
    }
  }

  /** Returns how many ranks of the table last refreshed are beyond a busy threshold. */
  int overloadedRanks() {
    weighLoads();
    int busy = 0;
    for (boolean one : overloaded) {
      busy += one ? 1 : 0;
    }
    return busy;
  }

  /** Takes every rank of the table, whatever rules it out. */
  int collectAll() {
    count = table.size();
    for (int i = 0; i < count && !hasAll; i++) {
      eligible[i] = i;
    }
    hasAll = true;
    return count;
  }

  private int collect(RoutingHints hints, Set<WorkerWithDpRank> failed, boolean withUnusable) {
    int found = 0;
    hasAll = false;
    for (int i = 0; i < table.size(); i++) {
      WorkerWithDpRank rank = table.rank(i);
      if (reason(i, hints, failed) == null && (withUnusable || isUsable(rank))) {
        eligible[found++] = i;
      }
    }
    return withUnusable ? found : narrowed(found, hints.preferredWorker());
  }

  /** Leaves only the worker of the request's session, if it is among those found. */
  private int narrowed(int found, @Nullable WorkerWithDpRank preferred) {
    for (int i = 0; preferred != null && i < found; i++) {
      if (table.rank(eligible[i]).equals(preferred)) {
        eligible[0] = eligible[i];
        return 1;
      }
    }
    return found;
  }

  /** Returns the table indexes of the eligible ranks, ascending; not to be modified. */
  int[] eligible() {
    return eligible;
  }

  /** Returns the table index of the i-th eligible rank. */
  int eligible(int i) {
    return eligible[i];
  }

  /** Returns whether the rank at a table index was found eligible. */
  boolean isEligible(int index) {
    return Arrays.binarySearch(eligible, 0, count, index) >= 0;
  }

  /**
   * Claims an eligible rank for the request.
   *
   * @return false if it has become unusable since; the caller collects and chooses again
   */
  boolean admit(WorkerWithDpRank rank) {
    return health == null || health.tryAdmit(rank) || lastResort;
  }

  /**
   * Describes why nobody was left.
   *
   * @param filtered whether the policy refused those that these rules had passed
   */
  NoEligibleWorkerException explain(
      BookingKey key, RoutingHints hints, Set<WorkerWithDpRank> failed, boolean filtered) {
    EnumMap<IneligibilityReason, Integer> counts = new EnumMap<>(IneligibilityReason.class);
    for (int i = 0; i < table.size(); i++) {
      IneligibilityReason reason = reason(i, hints, failed);
      if (reason == null && filtered) {
        reason = IneligibilityReason.FILTERED;
      }
      if (reason != null) {
        counts.merge(reason, 1, Integer::sum);
      }
    }
    return new NoEligibleWorkerException(key, table.size(), counts, busyRanks(hints, failed));
  }

  /** Returns whether some of those ruled out just now only carry too much. */
  boolean isOverload(RoutingHints hints, Set<WorkerWithDpRank> failed) {
    for (int i = 0; i < table.size(); i++) {
      if (reason(i, hints, failed) == IneligibilityReason.OVERLOADED) {
        return true;
      }
    }
    return false;
  }

  private List<BusyRank> busyRanks(RoutingHints hints, Set<WorkerWithDpRank> failed) {
    List<BusyRank> busy = new ArrayList<>();
    for (int i = 0; monitor != null && i < table.size() && busy.size() < MAX_BUSY_RANKS; i++) {
      if (reason(i, hints, failed) == IneligibilityReason.OVERLOADED) {
        busy.add(monitor.seen(table.instance(i), table.rank(i), loads));
      }
    }
    return Collections.unmodifiableList(busy);
  }

  /** Returns every rank that some rule leaves out, in the directory's order. */
  Map<WorkerWithDpRank, IneligibilityReason> reasons(
      RoutingHints hints, Set<WorkerWithDpRank> failed) {
    Map<WorkerWithDpRank, IneligibilityReason> reasons = new LinkedHashMap<>();
    for (int i = 0; i < table.size(); i++) {
      IneligibilityReason reason = reason(i, hints, failed);
      if (reason != null) {
        reasons.put(table.rank(i), reason);
      }
    }
    return reasons;
  }

  private @Nullable IneligibilityReason reason(
      int index, RoutingHints hints, Set<WorkerWithDpRank> failed) {
    WorkerWithDpRank rank = table.rank(index);
    if (!hints.pinAllows(rank)) {
      return IneligibilityReason.NOT_PINNED;
    }
    if (!hints.allows(rank.workerId())) {
      return IneligibilityReason.NOT_ALLOWED;
    }
    if (!hints.constraints().allow(table.instance(index).taints())) {
      return IneligibilityReason.TAINT_MISSING;
    }
    if (!failed.isEmpty() && failed.contains(rank)) {
      return IneligibilityReason.FAILED_THIS_REQUEST;
    }
    if (health != null && health.state(rank) == WorkerHealth.State.DRAINING) {
      return IneligibilityReason.DRAINING;
    }
    return overloaded[index] ? IneligibilityReason.OVERLOADED : null;
  }

  private boolean isUsable(WorkerWithDpRank rank) {
    return health == null || health.state(rank).isUsable();
  }
}
