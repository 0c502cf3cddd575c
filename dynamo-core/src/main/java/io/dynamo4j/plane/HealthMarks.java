// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Everything held against workers at one moment: an immutable array of marks, sorted by unsigned
 * worker id, so that a worker's few marks lie together.
 */
final class HealthMarks {
  private static final HealthMarks NONE = new HealthMarks(new Mark[0]);

  private final Mark[] marks;

  private HealthMarks(Mark[] marks) {
    this.marks = marks;
  }

  static HealthMarks none() {
    return NONE;
  }

  boolean isEmpty() {
    return marks.length == 0;
  }

  /** Returns the worst of what applies to a rank. */
  WorkerHealth.State state(long workerId, int dpRank, long nowNanos) {
    WorkerHealth.State worst = WorkerHealth.State.AVAILABLE;
    for (int i = firstOf(workerId); i < marks.length && marks[i].workerId == workerId; i++) {
      if (marks[i].appliesTo(dpRank)) {
        WorkerHealth.State state = marks[i].state(nowNanos);
        worst = state.compareTo(worst) > 0 ? state : worst;
      }
    }
    return worst;
  }

  HealthMarks failed(WorkerWithDpRank rank, FailureVerdict verdict, long untilNanos, int capacity) {
    Mark mark =
        verdict == FailureVerdict.WORKER
            ? Mark.ofWorker(rank.workerId(), untilNanos)
            : Mark.ofRank(rank.workerId(), rank.dpRank(), untilNanos);
    return with(mark).boundedBy(capacity, mark);
  }

  HealthMarks succeeded(WorkerWithDpRank rank) {
    return rewrite(rank, mark -> null);
  }

  HealthMarks probed(WorkerWithDpRank rank, long nowNanos, long untilNanos) {
    return rewrite(
        rank,
        mark ->
            mark.state(nowNanos) == WorkerHealth.State.HALF_OPEN ? mark.probing(untilNanos) : mark);
  }

  HealthMarks probeReleased(WorkerWithDpRank rank) {
    return rewrite(rank, mark -> mark.probing ? mark.notProbing() : mark);
  }

  HealthMarks drained(long workerId) {
    return with(Mark.ofDrain(workerId));
  }

  HealthMarks undrained(long workerId) {
    List<Mark> kept = new ArrayList<>(marks.length);
    for (Mark mark : marks) {
      if (mark.workerId != workerId || mark.scope != Scope.DRAIN) {
        kept.add(mark);
      }
    }
    return of(kept);
  }

  HealthMarks without(long workerId) {
    List<Mark> kept = new ArrayList<>(marks.length);
    for (Mark mark : marks) {
      if (mark.workerId != workerId) {
        kept.add(mark);
      }
    }
    return of(kept);
  }

  /** Adds a mark, in the place of one of the same worker and scope. */
  private HealthMarks with(Mark added) {
    List<Mark> kept = new ArrayList<>(marks.length + 1);
    int first = firstOf(added.workerId);
    for (int i = 0; i < marks.length; i++) {
      if (i == first) {
        kept.add(added);
      }
      if (!marks[i].isReplacedBy(added)) {
        kept.add(marks[i]);
      }
    }
    if (first == marks.length) {
      kept.add(added);
    }
    return new HealthMarks(kept.toArray(new Mark[0]));
  }

  /** Drops the failure whose window ends first, but for the newest, if there are too many. */
  private HealthMarks boundedBy(int capacity, Mark newest) {
    int failures = 0;
    @Nullable Mark oldest = null;
    for (Mark mark : marks) {
      if (mark.scope != Scope.DRAIN) {
        failures++;
        if (mark != newest && (oldest == null || mark.untilNanos - oldest.untilNanos < 0)) {
          oldest = mark;
        }
      }
    }
    if (failures <= capacity || oldest == null) {
      return this;
    }
    List<Mark> kept = new ArrayList<>(List.of(marks));
    kept.remove(oldest);
    return of(kept);
  }

  /** Replaces the failures that apply to a rank; null removes one. */
  private HealthMarks rewrite(WorkerWithDpRank rank, UnaryOperator<@Nullable Mark> change) {
    if (isEmpty()) {
      return this;
    }
    boolean changed = false;
    List<Mark> kept = new ArrayList<>(marks.length);
    for (Mark mark : marks) {
      boolean applies =
          mark.workerId == rank.workerId()
              && mark.scope != Scope.DRAIN
              && mark.appliesTo(rank.dpRank());
      Mark now = applies ? change.apply(mark) : mark;
      changed |= now != mark;
      if (now != null) {
        kept.add(now);
      }
    }
    return changed ? of(kept) : this;
  }

  private HealthMarks of(List<Mark> kept) {
    if (kept.isEmpty()) {
      return NONE;
    }
    return kept.size() == marks.length && same(kept)
        ? this
        : new HealthMarks(kept.toArray(new Mark[0]));
  }

  private boolean same(List<Mark> kept) {
    for (int i = 0; i < marks.length; i++) {
      if (kept.get(i) != marks[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the index of the worker's first mark, or where it would be. */
  private int firstOf(long workerId) {
    int low = 0;
    int high = marks.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(marks[middle].workerId, workerId) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private enum Scope {
    DRAIN,
    WORKER,
    RANK
  }

  /** One thing held against a worker or a rank. */
  private static final class Mark {
    final long workerId;
    final Scope scope;
    final int dpRank;
    final long untilNanos;
    final boolean probing;
    final long probeUntilNanos;

    private Mark(
        long workerId,
        Scope scope,
        int dpRank,
        long untilNanos,
        boolean probing,
        long probeUntilNanos) {
      this.workerId = workerId;
      this.scope = scope;
      this.dpRank = dpRank;
      this.untilNanos = untilNanos;
      this.probing = probing;
      this.probeUntilNanos = probeUntilNanos;
    }

    static Mark ofWorker(long workerId, long untilNanos) {
      return new Mark(workerId, Scope.WORKER, 0, untilNanos, false, 0);
    }

    static Mark ofRank(long workerId, int dpRank, long untilNanos) {
      return new Mark(workerId, Scope.RANK, dpRank, untilNanos, false, 0);
    }

    static Mark ofDrain(long workerId) {
      return new Mark(workerId, Scope.DRAIN, 0, 0, false, 0);
    }

    Mark probing(long probeUntil) {
      return new Mark(workerId, scope, dpRank, untilNanos, true, probeUntil);
    }

    Mark notProbing() {
      return new Mark(workerId, scope, dpRank, untilNanos, false, 0);
    }

    boolean appliesTo(int rank) {
      return scope != Scope.RANK || dpRank == rank;
    }

    boolean isReplacedBy(Mark other) {
      return workerId == other.workerId && scope == other.scope && dpRank == other.dpRank;
    }

    WorkerHealth.State state(long nowNanos) {
      if (scope == Scope.DRAIN) {
        return WorkerHealth.State.DRAINING;
      }
      if (nowNanos - untilNanos < 0) {
        return WorkerHealth.State.INHIBITED;
      }
      return probing && nowNanos - probeUntilNanos < 0
          ? WorkerHealth.State.PROBING
          : WorkerHealth.State.HALF_OPEN;
    }
  }
}
