// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Filters, then the sum of scorers times the row's factor, then one picker; by default Dynamo's
 * cost and temperature, with what the request changes of them.
 *
 * <p><b>Threads.</b> Not thread-safe: one decision at a time, as a router's lock gives.
 */
public final class DefaultWorkerSelector implements WorkerSelector {
  private final KvWorkerScorer kvScorer;
  private final List<WorkerFilter> filters;
  private final List<WorkerScorer> scorers;
  private final @Nullable WorkerPicker ownPicker;
  private final WorkerPicker picker;
  private final KvRouterConfig config;
  private double[] costs = new double[16];

  private DefaultWorkerSelector(Builder builder) {
    this.kvScorer = KvWorkerScorer.of(builder.config);
    this.filters = List.copyOf(builder.filters);
    this.scorers = builder.scorers.isEmpty() ? List.of(kvScorer) : List.copyOf(builder.scorers);
    this.config = builder.config;
    this.ownPicker = builder.picker;
    this.picker = ownPicker != null ? ownPicker : TemperaturePicker.of(config.routerTemperature());
  }

  /** Returns Dynamo's policy. */
  public static DefaultWorkerSelector of(KvRouterConfig config) {
    return builder(config).build();
  }

  /**
   * Starts a selector.
   *
   * @param config weights of Dynamo's cost and of overlap, temperature of the default picker
   */
  public static Builder builder(KvRouterConfig config) {
    return new Builder(config);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if a scorer returns a cost that is not finite or the picker a row
   *     that does not exist
   */
  @Override
  public @Nullable WorkerSelectionResult select(
      SchedulingRequest request, WorkerCandidates candidates, RandomSource random) {
    filter(request, candidates);
    int count = candidates.size();
    if (count == 0) {
      return null;
    }
    score(request, candidates);
    int row = picker(request).pick(costs, count, random);
    if (row < 0 || row >= count) {
      throw new IllegalStateException(
          "picker chose a row that does not exist: row=" + row + ", rows=" + count);
    }
    double overlap = kvScorer.effectiveOverlapBlocks(candidates, row);
    return WorkerSelectionResult.of(candidates, row, overlap, costs[row]);
  }

  @Override
  public double cost(SchedulingRequest request, WorkerCandidates candidates, int row) {
    score(request, candidates);
    return costs[Objects.checkIndex(row, candidates.size())];
  }

  @Override
  public @Nullable String refusal(SchedulingRequest request, WorkerCandidates candidates, int row) {
    for (int i = 0; i < filters.size(); i++) {
      if (!filters.get(i).accepts(request, candidates, row)) {
        return "filter " + i;
      }
    }
    return null;
  }

  private WorkerPicker picker(SchedulingRequest request) {
    return ownPicker == null && request.configOverride().changesScoring()
        ? TemperaturePicker.of(request.configOverride().applyTo(config).routerTemperature())
        : picker;
  }

  private void filter(SchedulingRequest request, WorkerCandidates candidates) {
    for (int i = 0; i < filters.size(); i++) {
      WorkerFilter filter = filters.get(i);
      for (int row = candidates.size() - 1; row >= 0; row--) {
        if (!filter.accepts(request, candidates, row)) {
          candidates.removeRow(row);
        }
      }
    }
  }

  private void score(SchedulingRequest request, WorkerCandidates candidates) {
    int count = candidates.size();
    if (costs.length < count) {
      costs = new double[Math.max(count, costs.length * 2)];
    }
    Arrays.fill(costs, 0, count, 0);
    for (int i = 0; i < scorers.size(); i++) {
      add(scorers.get(i), request, candidates);
    }
    for (int row = 0; row < count && candidates.hasFactors(); row++) {
      costs[row] *= candidates.costFactor(row);
    }
    for (int row = 0; row < count; row++) {
      requireFinite(costs[row], candidates, row);
    }
  }

  private void add(WorkerScorer scorer, SchedulingRequest request, WorkerCandidates candidates) {
    if (scorer instanceof KvWorkerScorer configured) {
      configured.forRequest(request).addCosts(candidates, costs);
      return;
    }
    if (scorer instanceof PredictedWorkerScorer predicted) {
      predicted.addCosts(request, candidates, costs);
      return;
    }
    int count = candidates.size();
    for (int row = 0; row < count; row++) {
      costs[row] += scorer.cost(request, candidates, row);
    }
  }

  private static void requireFinite(double cost, WorkerCandidates candidates, int row) {
    if (!Double.isFinite(cost)) {
      throw new IllegalStateException(
          "cost is not finite: worker=" + candidates.worker(row) + ", cost=" + cost);
    }
  }

  /** Builds a {@link DefaultWorkerSelector}: no filter, Dynamo's cost, its temperature. */
  public static final class Builder {
    private final KvRouterConfig config;
    private final List<WorkerFilter> filters = new ArrayList<>();
    private final List<WorkerScorer> scorers = new ArrayList<>();
    private @Nullable WorkerPicker picker;

    private Builder(KvRouterConfig config) {
      this.config = Objects.requireNonNull(config, "config");
    }

    /** Adds a filter; filters run in the order added. */
    public Builder filter(WorkerFilter filter) {
      filters.add(Objects.requireNonNull(filter, "filter"));
      return this;
    }

    /**
     * Adds a scorer. The first one replaces Dynamo's cost; add {@link KvWorkerScorer} as well to
     * keep it.
     */
    public Builder scorer(WorkerScorer scorer) {
      scorers.add(Objects.requireNonNull(scorer, "scorer"));
      return this;
    }

    /** Replaces the picker. */
    public Builder picker(WorkerPicker picker) {
      this.picker = Objects.requireNonNull(picker, "picker");
      return this;
    }

    public DefaultWorkerSelector build() {
      return new DefaultWorkerSelector(this);
    }
  }
}
