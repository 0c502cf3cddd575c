// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which workers failed just now, which drain, and who may try a failed one again.
 *
 * <p>A failure that counts takes its worker (or rank) out of selection for a window. After the
 * window it is half-open: exactly one request, the probe, is let through until its result is known.
 * A success puts it back, another failure starts the window anew, and a probe whose result never
 * comes is forgotten after a bound. Fed by whoever sees outcomes (the migrator), read by every
 * selection mode:
 *
 * <pre>{@code
 * List<WorkerWithDpRank> usable = health.usable(candidates);
 * WorkerWithDpRank chosen = pick(usable);
 * health.tryAdmit(chosen); // takes the probe if this is one; false: someone else just took it
 * ...
 * health.recordSuccess(chosen); // or recordFailure(chosen, error), or releaseProbe(chosen)
 * }</pre>
 *
 * <p>Failure memory is bounded: beyond the capacity the mark whose window ends first is forgotten.
 *
 * <p><b>Threads.</b> Any; lock-free. Reading costs O(log marks) without allocation, and nothing
 * while nobody has failed.
 */
public final class WorkerHealth {
  /** How long a failure keeps a worker out of selection by default. */
  public static final long DEFAULT_INHIBITION_NANOS = 5_000_000_000L;

  /** How long the result of a probe is waited for by default. */
  public static final long DEFAULT_PROBE_NANOS = 30_000_000_000L;

  /** Failed workers and ranks remembered by default. */
  public static final int DEFAULT_CAPACITY = 4_096;

  private static final AtomicReferenceFieldUpdater<WorkerHealth, HealthMarks> MARKS =
      AtomicReferenceFieldUpdater.newUpdater(WorkerHealth.class, HealthMarks.class, "marks");

  private final NanoClock clock;
  private final long inhibitionNanos;
  private final long probeNanos;
  private final int capacity;
  private final Function<ErrorType, FailureVerdict> verdicts;
  private volatile HealthMarks marks = HealthMarks.none();

  private WorkerHealth(Builder builder) {
    this.clock = builder.clock;
    this.inhibitionNanos = builder.inhibitionNanos;
    this.probeNanos = builder.probeNanos;
    this.capacity = builder.capacity;
    this.verdicts = builder.verdicts;
  }

  /** Returns an empty memory with default settings. */
  public static WorkerHealth create(NanoClock clock) {
    return builder(clock).build();
  }

  public static Builder builder(NanoClock clock) {
    return new Builder(clock);
  }

  /** Records a failure as the table given to the builder judges it. */
  public void recordFailure(WorkerWithDpRank rank, DynamoException error) {
    recordFailure(rank, verdicts.apply(error.errorType()));
  }

  /** Records a failure that the caller has judged; an {@code IGNORED} one ends a probe. */
  public void recordFailure(WorkerWithDpRank rank, FailureVerdict verdict) {
    if (verdict == FailureVerdict.IGNORED) {
      releaseProbe(rank);
    } else if (inhibitionNanos > 0) {
      long until = clock.nanoTime() + inhibitionNanos;
      update(before -> before.failed(rank, verdict, until, capacity));
    }
  }

  /** Records that a rank works: every failure that applies to it is forgotten. */
  public void recordSuccess(WorkerWithDpRank rank) {
    update(before -> before.succeeded(rank));
  }

  /** Ends a probe that taught nothing, such as one whose client left; the next may try. */
  public void releaseProbe(WorkerWithDpRank rank) {
    update(before -> before.probeReleased(rank));
  }

  /** Takes a worker out of selection until {@link #undrain} or {@link #forget}. */
  public void drain(long workerId) {
    update(before -> before.drained(workerId));
  }

  /** Puts a draining worker back; past failures still count. */
  public void undrain(long workerId) {
    update(before -> before.undrained(workerId));
  }

  /** Forgets all about a worker: it is gone, or another life has begun under its id. */
  public void forget(long workerId) {
    update(before -> before.without(workerId));
  }

  /** Returns whether every rank is available because nothing is remembered of anybody. */
  public boolean isClear() {
    return marks.isEmpty();
  }

  /** Returns what selection should know about a rank now. */
  public State state(WorkerWithDpRank rank) {
    return state(rank.workerId(), rank.dpRank());
  }

  /** Returns what selection should know about a rank now; allocates nothing. */
  public State state(long workerId, int dpRank) {
    HealthMarks now = marks;
    return now.isEmpty() ? State.AVAILABLE : now.state(workerId, dpRank, clock.nanoTime());
  }

  /**
   * Returns the candidates that may be chosen, in the given order: those available or half-open. If
   * there is none, every candidate that does not drain, since a request that might succeed beats
   * one that cannot start. Draining workers are never returned, so the result may be empty.
   *
   * @return {@code candidates} itself if all may be chosen, else a new list
   */
  public List<WorkerWithDpRank> usable(List<WorkerWithDpRank> candidates) {
    HealthMarks now = marks;
    if (now.isEmpty()) {
      return candidates;
    }
    long nanos = clock.nanoTime();
    List<WorkerWithDpRank> usable = new ArrayList<>(candidates.size());
    List<WorkerWithDpRank> inhibited = new ArrayList<>();
    for (WorkerWithDpRank rank : candidates) {
      State state = now.state(rank.workerId(), rank.dpRank(), nanos);
      if (state.isUsable()) {
        usable.add(rank);
      } else if (state != State.DRAINING) {
        inhibited.add(rank);
      }
    }
    if (usable.isEmpty()) {
      return inhibited;
    }
    return usable.size() == candidates.size() ? candidates : usable;
  }

  /**
   * Claims a rank for one request. For a half-open rank this takes the probe.
   *
   * @return true if the rank is available or the probe is now the caller's. False for a rank that
   *     is inhibited, probed by another request, or draining; a caller whose {@link #usable} left
   *     only such ranks sends nevertheless
   */
  public boolean tryAdmit(WorkerWithDpRank rank) {
    while (true) {
      HealthMarks before = marks;
      if (before.isEmpty()) {
        return true;
      }
      long now = clock.nanoTime();
      State state = before.state(rank.workerId(), rank.dpRank(), now);
      if (state != State.HALF_OPEN) {
        return state == State.AVAILABLE;
      }
      if (MARKS.compareAndSet(this, before, before.probed(rank, now, now + probeNanos))) {
        return true;
      }
    }
  }

  /**
   * Forgets a worker whenever the directory removes it or replaces it by another incarnation.
   *
   * @param lane where the directory is watched
   */
  public Subscription follow(WorkerDirectory directory, Scheduler lane) {
    return directory.watch(lane, new Follower());
  }

  private void update(UnaryOperator<HealthMarks> change) {
    while (true) {
      HealthMarks before = marks;
      HealthMarks after = change.apply(before);
      if (after == before || MARKS.compareAndSet(this, before, after)) {
        return;
      }
    }
  }

  /** What selection should know about a rank, best first. */
  public enum State {
    /** Nothing is held against it. */
    AVAILABLE,
    /** It failed, its window is over, and one probe may go. */
    HALF_OPEN,
    /** Its probe is under way. */
    PROBING,
    /** It failed within the window. */
    INHIBITED,
    /** It takes no new requests whatever happens. */
    DRAINING;

    /** Returns true if a request may go there while others are to be had. */
    public boolean isUsable() {
      return this == AVAILABLE || this == HALF_OPEN;
    }
  }

  /** Keeps the incarnations that it has seen, on the watch's lane. */
  private final class Follower implements WorkerDirectory.Listener {
    private final TreeMap<WorkerWithDpRank, WorkerInstance> seen = new TreeMap<>();

    @Override
    public void added(WorkerInstance instance) {
      @Nullable WorkerInstance before =
          seen.put(WorkerWithDpRank.of(instance.workerId()), instance);
      if (before == null || before.incarnation() != instance.incarnation()) {
        forget(instance.workerId());
      }
    }

    @Override
    public void removed(WorkerInstance instance) {
      seen.remove(WorkerWithDpRank.of(instance.workerId()));
      forget(instance.workerId());
    }
  }

  /** Builds a {@link WorkerHealth}. */
  public static final class Builder {
    private final NanoClock clock;
    private long inhibitionNanos = DEFAULT_INHIBITION_NANOS;
    private long probeNanos = DEFAULT_PROBE_NANOS;
    private int capacity = DEFAULT_CAPACITY;
    private Function<ErrorType, FailureVerdict> verdicts = FailureVerdict::ofDefaults;

    private Builder(NanoClock clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
    }

    /**
     * Sets how long a failure keeps a worker out; 0 switches failure memory off.
     *
     * @throws IllegalArgumentException if negative
     */
    public Builder inhibitionNanos(long nanos) {
      if (nanos < 0) {
        throw new IllegalArgumentException("inhibition must not be negative: nanos=" + nanos);
      }
      this.inhibitionNanos = nanos;
      return this;
    }

    /**
     * Sets how long the result of a probe is waited for before the next is let through.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder probeNanos(long nanos) {
      if (nanos <= 0) {
        throw new IllegalArgumentException("probe bound must be positive: nanos=" + nanos);
      }
      this.probeNanos = nanos;
      return this;
    }

    /**
     * Bounds the failures remembered; drain marks are not counted.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder capacity(int failures) {
      if (failures < 1) {
        throw new IllegalArgumentException("capacity must be positive: failures=" + failures);
      }
      this.capacity = failures;
      return this;
    }

    /** Replaces {@link FailureVerdict#ofDefaults}. */
    public Builder verdicts(Function<ErrorType, FailureVerdict> verdicts) {
      this.verdicts = Objects.requireNonNull(verdicts, "verdicts");
      return this;
    }

    public WorkerHealth build() {
      return new WorkerHealth(this);
    }
  }
}
