// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the caller asks of routing: a pin, an allow-list, an isolation key. All unset by default.
 */
public final class RoutingHints {
  private static final RoutingHints NONE = builder().build();

  private final @Nullable WorkerWithDpRank pinnedWorker;
  private final @Nullable WorkerWithDpRank preferredWorker;
  private final long @Nullable [] allowedWorkerIds;
  private final String loraName;
  private final String cacheNamespace;
  private final long expectedOutputTokens;

  private RoutingHints(Builder builder) {
    this.pinnedWorker = builder.pinnedWorker;
    this.preferredWorker = builder.preferredWorker;
    this.allowedWorkerIds = builder.allowedWorkerIds;
    this.loraName = builder.loraName;
    this.cacheNamespace = builder.cacheNamespace;
    this.expectedOutputTokens = builder.expectedOutputTokens;
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
    builder.preferredWorker = preferredWorker;
    builder.allowedWorkerIds = allowedWorkerIds;
    builder.loraName = loraName;
    builder.cacheNamespace = cacheNamespace;
    builder.expectedOutputTokens = expectedOutputTokens;
    return builder;
  }

  /** Returns the one worker that may serve the request, or null. A pin also rules out migration. */
  public @Nullable WorkerWithDpRank pinnedWorker() {
    return pinnedWorker;
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

  /** Builds {@link RoutingHints}. */
  public static final class Builder {
    private @Nullable WorkerWithDpRank pinnedWorker;
    private @Nullable WorkerWithDpRank preferredWorker;
    private long @Nullable [] allowedWorkerIds;
    private String loraName = "";
    private String cacheNamespace = "";
    private long expectedOutputTokens = -1;

    private Builder() {}

    public Builder pinnedWorker(WorkerWithDpRank worker) {
      this.pinnedWorker = worker;
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

    public RoutingHints build() {
      return new RoutingHints(this);
    }
  }
}
