// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One try of one request: everything about it that is not the request itself.
 *
 * <p>The number and the excluded workers stay in this process; on the wire all attempts share one
 * request id. Bookings are keyed by (request id, attempt number).
 *
 * <p><b>Threads.</b> Immutable. Every signal of the attempt's stream and every call of its listener
 * runs on {@link #lane()}, which the caller supplies so that its own state needs no other lane.
 */
public final class Attempt {
  /** Marks an attempt without deadline. */
  public static final long NO_DEADLINE = Long.MAX_VALUE;

  private final String requestId;
  private final int number;
  private final Scheduler lane;
  private final Set<WorkerWithDpRank> excludedWorkers;
  private final long deadlineNanos;
  private final @Nullable AttemptListener listener;

  private Attempt(Builder builder) {
    this.requestId = builder.requestId;
    this.lane = builder.lane;
    this.number = builder.number;
    this.excludedWorkers = builder.excludedWorkers;
    this.deadlineNanos = builder.deadlineNanos;
    this.listener = builder.listener;
  }

  /**
   * Starts an attempt.
   *
   * @param requestId the id that all attempts of the request share
   * @param lane where the attempt's stream signals
   */
  public static Builder builder(String requestId, Scheduler lane) {
    return new Builder(requestId, lane);
  }

  public String requestId() {
    return requestId;
  }

  /** Returns the attempt's number, from 0. */
  public int number() {
    return number;
  }

  public Scheduler lane() {
    return lane;
  }

  /**
   * Returns the ranks that already failed this request. They are ruled out before anything is
   * scored; allow-lists and constraints still hold.
   */
  public Set<WorkerWithDpRank> excludedWorkers() {
    return excludedWorkers;
  }

  /**
   * Returns when the attempt must have ended, by the clock of {@link #lane()}, or {@link
   * #NO_DEADLINE}.
   */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Tells the caller which worker was chosen; a dispatcher calls it before it sends. */
  public void workerChosen(WorkerWithDpRank worker) {
    if (listener != null) {
      listener.workerChosen(worker);
    }
  }

  /** Tells the caller that the request was acknowledged; a request plane with such calls it. */
  public void requestAcknowledged() {
    if (listener != null) {
      listener.requestAcknowledged();
    }
  }

  /** Tells the caller that the worker opened its stream; a request plane calls it. */
  public void streamOpened() {
    if (listener != null) {
      listener.streamOpened();
    }
  }

  @Override
  public String toString() {
    return "Attempt[requestId=" + SafeText.of(requestId) + ", number=" + number + "]";
  }

  /** Builds an {@link Attempt}: number 0, nothing excluded, no deadline, nobody listening. */
  public static final class Builder {
    private final String requestId;
    private final Scheduler lane;
    private int number;
    private Set<WorkerWithDpRank> excludedWorkers = Collections.emptySet();
    private long deadlineNanos = NO_DEADLINE;
    private @Nullable AttemptListener listener;

    private Builder(String requestId, Scheduler lane) {
      this.requestId = Objects.requireNonNull(requestId, "requestId");
      this.lane = Objects.requireNonNull(lane, "lane");
    }

    public Builder number(int number) {
      if (number < 0) {
        throw new IllegalArgumentException("number must not be negative: number=" + number);
      }
      this.number = number;
      return this;
    }

    /** Copies the set. */
    public Builder excludedWorkers(Set<WorkerWithDpRank> workers) {
      this.excludedWorkers =
          workers.isEmpty()
              ? Collections.emptySet()
              : Collections.unmodifiableSet(new TreeSet<>(workers));
      return this;
    }

    public Builder deadlineNanos(long deadlineNanos) {
      this.deadlineNanos = deadlineNanos;
      return this;
    }

    public Builder listener(AttemptListener listener) {
      this.listener = Objects.requireNonNull(listener, "listener");
      return this;
    }

    public Attempt build() {
      return new Attempt(this);
    }
  }
}
