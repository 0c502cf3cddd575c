// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Arrays;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * One registered worker process as its record declares it.
 *
 * <p>A restarted worker is another instance: same role, new {@link #workerId()} or a new {@link
 * #incarnation()} under the old one.
 */
public final class WorkerInstance {
  /** Marks a capacity that the worker did not declare. */
  public static final long UNKNOWN = -1;

  private final long workerId;
  private final long incarnation;
  private final Address address;
  private final int dpStart;
  private final int dpSize;
  private final int kvBlockSize;
  private final long totalKvBlocks;
  private final long maxBatchedTokens;
  private final Set<String> resumes;
  private final Set<String> taints;

  private WorkerInstance(Builder builder) {
    this.workerId = builder.workerId;
    this.address = builder.address;
    this.incarnation = builder.incarnation;
    this.dpStart = builder.dpStart;
    this.dpSize = builder.dpSize;
    this.kvBlockSize = builder.kvBlockSize;
    this.totalKvBlocks = builder.totalKvBlocks;
    this.maxBatchedTokens = builder.maxBatchedTokens;
    this.resumes = builder.resumes;
    this.taints = builder.taints;
  }

  public static Builder builder(long workerId, Address address) {
    return new Builder(workerId, address);
  }

  /** Returns the instance id, an unsigned 64-bit pattern. */
  public long workerId() {
    return workerId;
  }

  /** Returns which life of the worker this is; 0 where the directory cannot tell. */
  public long incarnation() {
    return incarnation;
  }

  public Address address() {
    return address;
  }

  /** Returns the first data-parallel rank. */
  public int dpStart() {
    return dpStart;
  }

  /** Returns the number of data-parallel ranks, at least 1. */
  public int dpSize() {
    return dpSize;
  }

  /** Returns tokens per KV block, or {@code (int)} {@link #UNKNOWN}. */
  public int kvBlockSize() {
    return kvBlockSize;
  }

  /** Returns KV blocks per rank, or {@link #UNKNOWN}. */
  public long totalKvBlocks() {
    return totalKvBlocks;
  }

  /** Returns the token budget of one engine step, or {@link #UNKNOWN}. */
  public long maxBatchedTokens() {
    return maxBatchedTokens;
  }

  /**
   * Returns what the worker rebuilds from the tokens of a request that begins in the middle of an
   * answer, beyond what every engine does, such as {@code "guided_decoding"}: it runs the grammar
   * over prompt tokens. Sorted, immutable.
   */
  public Set<String> resumes() {
    return resumes;
  }

  /** Returns what the worker declares for {@code RoutingConstraints}. Sorted, immutable. */
  public Set<String> taints() {
    return taints;
  }

  /** Returns the worker's {@code index}-th rank, {@code 0 <= index < dpSize()}. */
  public WorkerWithDpRank rank(int index) {
    return new WorkerWithDpRank(workerId, dpStart + Objects.checkIndex(index, dpSize));
  }

  @Override
  public String toString() {
    return "WorkerInstance[workerId="
        + Long.toUnsignedString(workerId)
        + ", incarnation="
        + incarnation
        + ", address="
        + address
        + ", ranks="
        + dpSize
        + "]";
  }

  /** Builds a {@link WorkerInstance}: one rank, nothing else declared. */
  public static final class Builder {
    private final long workerId;
    private final Address address;
    private long incarnation;
    private int dpStart;
    private int dpSize = 1;
    private int kvBlockSize = (int) UNKNOWN;
    private long totalKvBlocks = UNKNOWN;
    private long maxBatchedTokens = UNKNOWN;
    private Set<String> resumes = Collections.emptySet();
    private Set<String> taints = Collections.emptySet();

    private Builder(long workerId, Address address) {
      this.workerId = workerId;
      this.address = Objects.requireNonNull(address, "address");
    }

    public Builder incarnation(long incarnation) {
      this.incarnation = incarnation;
      return this;
    }

    /**
     * Declares ranks {@code [start, start + size)}.
     *
     * @throws IllegalArgumentException if the range is empty or leaves the non-negative ints
     */
    public Builder dpRanks(int start, int size) {
      if (start < 0 || size < 1 || start + size < 0) {
        throw new IllegalArgumentException(
            "ranks must be a non-empty range: start=" + start + ", size=" + size);
      }
      this.dpStart = start;
      this.dpSize = size;
      return this;
    }

    public Builder kvBlockSize(int tokens) {
      this.kvBlockSize = tokens;
      return this;
    }

    public Builder totalKvBlocks(long blocks) {
      this.totalKvBlocks = blocks;
      return this;
    }

    public Builder maxBatchedTokens(long tokens) {
      this.maxBatchedTokens = tokens;
      return this;
    }

    /** Declares {@link WorkerInstance#resumes()}; nothing by default. */
    public Builder resumes(String... capabilities) {
      this.resumes = Collections.unmodifiableSet(new TreeSet<>(Arrays.asList(capabilities)));
      return this;
    }

    /** Declares {@link WorkerInstance#taints()}; none by default. */
    public Builder taints(String... taints) {
      this.taints = Collections.unmodifiableSet(new TreeSet<>(Arrays.asList(taints)));
      return this;
    }

    public WorkerInstance build() {
      return new WorkerInstance(this);
    }
  }
}
