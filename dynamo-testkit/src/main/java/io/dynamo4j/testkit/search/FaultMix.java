// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Draws how strong each kind of fault is in one run, or what a size or limit is.
 *
 * <p>No way of drawing finds everything: with all faults on, one often hides what another would
 * show, so each mix has its place. A kind's draw depends on the seed and its own name alone; adding
 * a kind leaves the others as they were.
 *
 * <p><b>Source.</b> Groce et al.: Swarm testing (ISSTA 2012).
 */
public final class FaultMix {
  private final List<Range> ranges;

  private FaultMix(List<Range> ranges) {
    this.ranges = List.copyOf(ranges);
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Leaves out each kind with probability one half; the others are log-uniform in their range. */
  public SortedMap<String, Double> swarm(RandomSource random) {
    SortedMap<String, Double> strengths = new TreeMap<>();
    for (Range range : ranges) {
      RandomSource own = random.split(range.kind());
      if (own.nextDouble() < 0.5) {
        strengths.put(range.kind(), range.at(own.nextDouble()));
      }
    }
    return Collections.unmodifiableSortedMap(strengths);
  }

  /** Has every kind on, log-uniform in the middle third of its range. */
  public SortedMap<String, Double> allOn(RandomSource random) {
    SortedMap<String, Double> strengths = new TreeMap<>();
    for (Range range : ranges) {
      strengths.put(range.kind(), range.at((1 + random.split(range.kind()).nextDouble()) / 3));
    }
    return Collections.unmodifiableSortedMap(strengths);
  }

  /**
   * Has only the named kinds on, log-uniform in the upper half of their ranges: for states that
   * need several hits of the same few.
   *
   * @throws IllegalArgumentException if a kind is unknown
   */
  public SortedMap<String, Double> directed(RandomSource random, Collection<String> kinds) {
    TreeSet<String> unknown = new TreeSet<>(kinds);
    SortedMap<String, Double> strengths = new TreeMap<>();
    for (Range range : ranges) {
      if (unknown.remove(range.kind())) {
        strengths.put(range.kind(), range.at((1 + random.split(range.kind()).nextDouble()) / 2));
      }
    }
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException("kinds are unknown: kinds=" + unknown);
    }
    return Collections.unmodifiableSortedMap(strengths);
  }

  private record Range(String kind, double weakest, double strongest) {

    /** Returns the strength at a fraction of the way, on a logarithmic scale. */
    double at(double fraction) {
      return weakest * Math.pow(strongest / weakest, fraction);
    }
  }

  /** Builds a {@link FaultMix}. */
  public static final class Builder {
    private final List<Range> ranges = new ArrayList<>();

    private Builder() {}

    /**
     * Adds a kind of fault.
     *
     * @param weakest strength at the harmless end; positive
     * @param strongest strength at the other end; positive, larger or smaller
     */
    public Builder fault(String kind, double weakest, double strongest) {
      Objects.requireNonNull(kind, "kind");
      if (!(weakest > 0) || !(strongest > 0)) {
        throw new IllegalArgumentException(
            "strengths must be positive: kind="
                + kind
                + ", weakest="
                + weakest
                + ", strongest="
                + strongest);
      }
      ranges.add(new Range(kind, weakest, strongest));
      return this;
    }

    public FaultMix build() {
      return new FaultMix(ranges);
    }
  }
}
