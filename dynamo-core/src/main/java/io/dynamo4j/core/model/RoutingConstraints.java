// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which taints a worker must have to serve a request, and which attract or repel it.
 *
 * <p>A taint is a text that a worker declares about itself, such as {@code "gpu=h100"}. All
 * required ones must be there. Weights of preferred ones add up over those that the worker has; a
 * positive sum makes the worker cheaper, a negative one dearer, by a factor from 1/e to e.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class RoutingConstraints {
  private static final RoutingConstraints NONE = builder().build();

  private final Set<String> requiredTaints;
  private final SortedMap<String, Double> preferredTaints;

  private RoutingConstraints(Builder builder) {
    this.requiredTaints = Collections.unmodifiableSet(new TreeSet<>(builder.requiredTaints));
    this.preferredTaints =
        Collections.unmodifiableSortedMap(new TreeMap<>(builder.preferredTaints));
  }

  public static RoutingConstraints none() {
    return NONE;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the taints that a worker must have, all of them; sorted. */
  public Set<String> requiredTaints() {
    return requiredTaints;
  }

  /** Returns the finite weight of each taint that matters to the cost; sorted by taint. */
  public SortedMap<String, Double> preferredTaints() {
    return preferredTaints;
  }

  /** Tells whether a worker of these taints may serve the request. */
  public boolean allow(Collection<String> taints) {
    return requiredTaints.isEmpty() || taints.containsAll(requiredTaints);
  }

  /** Returns what a worker's cost is multiplied with: {@code exp(-tanh(sum of weights))}. */
  public double costFactor(Set<String> taints) {
    if (preferredTaints.isEmpty()) {
      return 1;
    }
    double sum = 0;
    for (Map.Entry<String, Double> preferred : preferredTaints.entrySet()) {
      if (taints.contains(preferred.getKey())) {
        sum += preferred.getValue();
      }
    }
    return Math.exp(-Math.tanh(sum));
  }

  @Override
  public String toString() {
    return "RoutingConstraints[required=" + requiredTaints + ", preferred=" + preferredTaints + "]";
  }

  /** Builds {@link RoutingConstraints}; nothing required or preferred by default. */
  public static final class Builder {
    private final Set<String> requiredTaints = new TreeSet<>();
    private final SortedMap<String, Double> preferredTaints = new TreeMap<>();

    private Builder() {}

    /** Requires a taint beside those required already. */
    public Builder requireTaint(String taint) {
      requiredTaints.add(Objects.requireNonNull(taint, "taint"));
      return this;
    }

    /**
     * Attracts by a positive weight, repels by a negative one.
     *
     * @throws IllegalArgumentException if the weight is not finite
     */
    public Builder preferTaint(String taint, double weight) {
      if (!Double.isFinite(weight)) {
        throw new IllegalArgumentException(
            "weight of a taint must be finite: taint=" + taint + ", weight=" + weight);
      }
      preferredTaints.put(Objects.requireNonNull(taint, "taint"), weight);
      return this;
    }

    public RoutingConstraints build() {
      return new RoutingConstraints(this);
    }
  }
}
