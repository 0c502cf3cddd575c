// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is chosen for: one attempt of one request.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class SchedulingRequest {
  /** Marks {@link #deadlineNanos} as unset. */
  public static final long NO_DEADLINE = Long.MAX_VALUE;

  private final BookingKey key;
  private final TokenSlice tokenIds;
  private final RoutingHints routing;
  private final Set<WorkerWithDpRank> excludedWorkers;
  private final RouterConfigOverride configOverride;
  private final boolean updateIndexer;
  private final long deadlineNanos;
  private final boolean doNotQueue;
  private final long @Nullable [] localHashes;
  private final long @Nullable [] sequenceHashes;

  private SchedulingRequest(Builder builder) {
    this.key = new BookingKey(builder.requestId, builder.attempt);
    this.tokenIds = builder.tokenIds;
    this.routing = builder.routing;
    this.excludedWorkers = builder.excludedWorkers;
    this.configOverride = builder.configOverride;
    this.updateIndexer = builder.updateIndexer;
    this.deadlineNanos = builder.deadlineNanos;
    this.doNotQueue = builder.doNotQueue;
    this.localHashes = builder.localHashes;
    this.sequenceHashes = builder.sequenceHashes;
  }

  /**
   * Starts a request.
   *
   * @param requestId the id that all attempts share
   * @param tokenIds the prompt; may be empty or shorter than a block
   */
  public static Builder builder(String requestId, TokenSlice tokenIds) {
    return new Builder(requestId, tokenIds);
  }

  /** Starts a request that is equal but for what is set. */
  Builder toBuilder() {
    Builder builder = new Builder(key.requestId(), tokenIds);
    builder.attempt = key.attempt();
    builder.routing = routing;
    builder.excludedWorkers = excludedWorkers;
    builder.configOverride = configOverride;
    builder.updateIndexer = updateIndexer;
    builder.deadlineNanos = deadlineNanos;
    builder.doNotQueue = doNotQueue;
    builder.localHashes = localHashes;
    builder.sequenceHashes = sequenceHashes;
    return builder;
  }

  /** Returns hashes of the full blocks that the caller knows already, null if they are unknown. */
  long @Nullable [] localHashes() {
    return localHashes;
  }

  /** Returns the chain over {@link #localHashes}, null if it is unknown. */
  long @Nullable [] sequenceHashes() {
    return sequenceHashes;
  }

  /** Returns what the booking is known by. */
  public BookingKey key() {
    return key;
  }

  public TokenSlice tokenIds() {
    return tokenIds;
  }

  /** Returns the caller's wishes: pin, allow-list, taints, adapter, cache namespace. */
  public RoutingHints routing() {
    return routing;
  }

  /** Returns the ranks that already failed this request. */
  public Set<WorkerWithDpRank> excludedWorkers() {
    return excludedWorkers;
  }

  /** Returns what the request changes in the router's configuration. */
  public RouterConfigOverride configOverride() {
    return configOverride;
  }

  /** Returns whether an index that learns from decisions learns from this one. */
  public boolean updateIndexer() {
    return updateIndexer;
  }

  /** Returns until when it may wait by the clock of the router's lanes, or {@link #NO_DEADLINE}. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Returns whether it is refused rather than left to wait. */
  public boolean doNotQueue() {
    return doNotQueue;
  }

  /** Builds a {@link SchedulingRequest}: attempt 0, no wishes, nothing excluded. */
  public static final class Builder {
    private final String requestId;
    private final TokenSlice tokenIds;
    private int attempt;
    private RoutingHints routing = RoutingHints.none();
    private Set<WorkerWithDpRank> excludedWorkers = Collections.emptySet();
    private RouterConfigOverride configOverride = RouterConfigOverride.none();
    private boolean updateIndexer = true;
    private long deadlineNanos = NO_DEADLINE;
    private boolean doNotQueue;
    private long @Nullable [] localHashes;
    private long @Nullable [] sequenceHashes;

    private Builder(String requestId, TokenSlice tokenIds) {
      this.requestId = Objects.requireNonNull(requestId, "requestId");
      this.tokenIds = Objects.requireNonNull(tokenIds, "tokenIds");
    }

    /** Sets the attempt's number, from 0. */
    public Builder attempt(int attempt) {
      this.attempt = attempt;
      return this;
    }

    public Builder routing(RoutingHints routing) {
      this.routing = Objects.requireNonNull(routing, "routing");
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

    public Builder configOverride(RouterConfigOverride configOverride) {
      this.configOverride = Objects.requireNonNull(configOverride, "configOverride");
      return this;
    }

    /**
     * Sets whether an index that learns from decisions learns from this one; default true. False
     * for a booking whose prompt will not be sent to the chosen rank.
     */
    public Builder updateIndexer(boolean update) {
      this.updateIndexer = update;
      return this;
    }

    /**
     * Sets until when it may wait, by the clock of the router's lanes; default as long as needed.
     */
    public Builder deadlineNanos(long deadlineNanos) {
      this.deadlineNanos = deadlineNanos;
      return this;
    }

    /** Sets whether it is refused rather than left to wait; default false. */
    public Builder doNotQueue(boolean doNotQueue) {
      this.doNotQueue = doNotQueue;
      return this;
    }

    /**
     * Tells the hashes of the prompt's full blocks where the caller knows them, so that the router
     * does not compute them again. They are those of the router's block size, the request's adapter
     * and cache namespace; wrong ones find nothing, or what is somebody else's.
     *
     * @param local hash of each block
     * @param sequence chain over them; as long. Neither is copied nor may change any more
     * @throws IllegalArgumentException if they are not equally long
     */
    public Builder blockHashes(long[] local, long[] sequence) {
      if (local.length != sequence.length) {
        throw new IllegalArgumentException(
            "a block has one hash of each kind: local="
                + local.length
                + ", sequence="
                + sequence.length);
      }
      this.localHashes = local;
      this.sequenceHashes = sequence;
      return this;
    }

    /**
     * Returns the request.
     *
     * @throws IllegalArgumentException if the attempt is negative
     */
    public SchedulingRequest build() {
      return new SchedulingRequest(this);
    }
  }
}
