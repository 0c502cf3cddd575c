// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the caller asks of routing: a pin, an allow-list, taints, an isolation key, its place in the
 * queue. All unset by default.
 *
 * <p>A pin names a worker and rank, or a worker of which any rank will do. A rank alone is asked of
 * whichever worker: it leaves the choice among the workers that have it.
 */
public final class RoutingHints {
  private static final RoutingHints NONE = builder().build();

  /** Marks {@link #requiredDpRank} as unset. */
  public static final int ANY_DP_RANK = -1;

  private final @Nullable WorkerWithDpRank pinnedWorker;
  private final OptionalLong pinnedWorkerId;
  private final int requiredDpRank;
  private final @Nullable WorkerWithDpRank preferredWorker;
  private final long @Nullable [] allowedWorkerIds;
  private final String loraName;
  private final String cacheNamespace;
  private final long expectedOutputTokens;
  private final RoutingConstraints constraints;
  private final double priorityJumpSeconds;
  private final long strictPriority;
  private final String policyClass;

  private RoutingHints(Builder builder) {
    this.pinnedWorker = builder.pinnedWorker;
    this.pinnedWorkerId = builder.pinnedWorkerId;
    this.requiredDpRank = builder.requiredDpRank;
    this.preferredWorker = builder.preferredWorker;
    this.allowedWorkerIds = builder.allowedWorkerIds;
    this.loraName = builder.loraName;
    this.cacheNamespace = builder.cacheNamespace;
    this.expectedOutputTokens = builder.expectedOutputTokens;
    this.constraints = builder.constraints;
    this.priorityJumpSeconds = builder.priorityJumpSeconds;
    this.strictPriority = builder.strictPriority;
    this.policyClass = builder.policyClass;
  }

  public static RoutingHints none() {
    return NONE;
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.pinnedWorker = pinnedWorker;
    builder.pinnedWorkerId = pinnedWorkerId;
    builder.requiredDpRank = requiredDpRank;
    builder.preferredWorker = preferredWorker;
    builder.allowedWorkerIds = allowedWorkerIds;
    builder.loraName = loraName;
    builder.cacheNamespace = cacheNamespace;
    builder.expectedOutputTokens = expectedOutputTokens;
    builder.constraints = constraints;
    builder.priorityJumpSeconds = priorityJumpSeconds;
    builder.strictPriority = strictPriority;
    builder.policyClass = policyClass;
    return builder;
  }

  /** Returns the one rank that may serve the request, or null. A pin also rules out migration. */
  public @Nullable WorkerWithDpRank pinnedWorker() {
    return pinnedWorker;
  }

  /**
   * Returns the one worker that may serve the request, on whichever of its ranks; empty where none
   * is named without a rank.
   */
  public OptionalLong pinnedWorkerId() {
    return pinnedWorkerId;
  }

  /** Returns whether one worker is named, with a rank or without. */
  public boolean isPinned() {
    return pinnedWorker != null || pinnedWorkerId.isPresent();
  }

  /** Returns the rank that a worker must serve the request on, or {@link #ANY_DP_RANK}. */
  public int requiredDpRank() {
    return requiredDpRank;
  }

  /** Returns whether neither a pin nor an allow-list leaves anybody out. */
  public boolean isForAnyRank() {
    return !isPinned() && requiredDpRank == ANY_DP_RANK && allowedWorkerIds == null;
  }

  /** Tells whether the rank may serve the request as far as pins go. */
  public boolean pinAllows(WorkerWithDpRank rank) {
    return (pinnedWorker == null || pinnedWorker.equals(rank))
        && (pinnedWorkerId.isEmpty() || pinnedWorkerId.getAsLong() == rank.workerId())
        && (requiredDpRank == ANY_DP_RANK || requiredDpRank == rank.dpRank());
  }

  /**
   * Returns the worker that the request's session is bound to, or null. It is chosen while it may
   * be and nothing is held against it; once it failed the request, is gone, drains or failed others
   * just now, the binding counts for nothing.
   */
  public @Nullable WorkerWithDpRank preferredWorker() {
    return preferredWorker;
  }

  /**
   * Returns the only workers that may serve the request, ascending as signed numbers, or null where
   * all may; a copy.
   */
  public long @Nullable [] allowedWorkerIds() {
    return allowedWorkerIds == null ? null : allowedWorkerIds.clone();
  }

  /** Tells whether the worker may serve the request as far as the allow-list goes; O(log n). */
  public boolean allows(long workerId) {
    return allowedWorkerIds == null || Arrays.binarySearch(allowedWorkerIds, workerId) >= 0;
  }

  /** Returns the adapter's name, empty for the base model. */
  public String loraName() {
    return loraName;
  }

  /** Returns the cache isolation key ({@code cache_salt} on the wire), empty for none. */
  public String cacheNamespace() {
    return cacheNamespace;
  }

  /** Returns the expected number of output tokens, or -1. */
  public long expectedOutputTokens() {
    return expectedOutputTokens;
  }

  /** Returns the taints that workers must or should have. */
  public RoutingConstraints constraints() {
    return constraints;
  }

  /** Returns by how many seconds of arrival the request goes ahead in its queue; never negative. */
  public double priorityJumpSeconds() {
    return priorityJumpSeconds;
  }

  /** Returns the priority that goes before every other order of a queue; higher first. */
  public long strictPriority() {
    return strictPriority;
  }

  /** Returns the policy class or family that the request asks to wait in, empty for the default. */
  public String policyClass() {
    return policyClass;
  }

  /** Builds {@link RoutingHints}. */
  public static final class Builder {
    private @Nullable WorkerWithDpRank pinnedWorker;
    private OptionalLong pinnedWorkerId = OptionalLong.empty();
    private int requiredDpRank = ANY_DP_RANK;
    private @Nullable WorkerWithDpRank preferredWorker;
    private long @Nullable [] allowedWorkerIds;
    private String loraName = "";
    private String cacheNamespace = "";
    private long expectedOutputTokens = -1;
    private RoutingConstraints constraints = RoutingConstraints.none();
    private double priorityJumpSeconds;
    private long strictPriority;
    private String policyClass = "";

    private Builder() {}

    public Builder pinnedWorker(WorkerWithDpRank worker) {
      this.pinnedWorker = worker;
      return this;
    }

    /** Pins to a worker and leaves the rank open. */
    public Builder pinnedWorkerId(long workerId) {
      this.pinnedWorkerId = OptionalLong.of(workerId);
      return this;
    }

    /**
     * Asks for a rank without naming a worker; default {@link #ANY_DP_RANK}.
     *
     * @throws IllegalArgumentException if it is another negative number
     */
    public Builder requiredDpRank(int dpRank) {
      if (dpRank < ANY_DP_RANK) {
        throw new IllegalArgumentException("rank must not be negative: dpRank=" + dpRank);
      }
      this.requiredDpRank = dpRank;
      return this;
    }

    public Builder preferredWorker(WorkerWithDpRank worker) {
      this.preferredWorker = worker;
      return this;
    }

    /** Allows only these workers; none at all if empty. */
    public Builder allowedWorkerIds(long... workerIds) {
      this.allowedWorkerIds = Arrays.stream(workerIds).sorted().distinct().toArray();
      return this;
    }

    public Builder loraName(String loraName) {
      this.loraName = loraName;
      return this;
    }

    public Builder cacheNamespace(String cacheNamespace) {
      this.cacheNamespace = cacheNamespace;
      return this;
    }

    public Builder expectedOutputTokens(long tokens) {
      this.expectedOutputTokens = tokens;
      return this;
    }

    public Builder constraints(RoutingConstraints constraints) {
      this.constraints = constraints;
      return this;
    }

    /**
     * Lets the request wait as if it had come that much earlier; default 0, negative counts as 0.
     *
     * @throws IllegalArgumentException if not finite
     */
    public Builder priorityJumpSeconds(double seconds) {
      if (!Double.isFinite(seconds)) {
        throw new IllegalArgumentException("priority jump must be finite: seconds=" + seconds);
      }
      this.priorityJumpSeconds = Math.max(0, seconds);
      return this;
    }

    /**
     * Sets the priority before which no other order counts; default 0.
     *
     * @throws IllegalArgumentException outside the unsigned 32-bit numbers
     */
    public Builder strictPriority(long priority) {
      if (priority >>> 32 != 0) {
        throw new IllegalArgumentException(
            "strict priority must be in 0..4294967295: priority=" + priority);
      }
      this.strictPriority = priority;
      return this;
    }

    public Builder policyClass(String policyClass) {
      this.policyClass = policyClass;
      return this;
    }

    public RoutingHints build() {
      return new RoutingHints(this);
    }
  }
}
