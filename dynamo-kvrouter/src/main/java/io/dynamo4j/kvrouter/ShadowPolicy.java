// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import org.jspecify.annotations.Nullable;

/**
 * A policy that decides beside the active one, on a copy of what it sees and with the same chance,
 * and has no effect.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class ShadowPolicy {
  private final WorkerSelector selector;
  private final WorkerCandidates rows = WorkerCandidates.create();
  private final DecisionRandom random = new DecisionRandom();
  private @Nullable WorkerSelectionResult choice;
  private boolean failed;

  private long decisions;
  private long agreements;
  private long failures;
  private double regret;
  private double maxRegret;

  ShadowPolicy(WorkerSelector selector) {
    this.selector = selector;
  }

  void before(SchedulingRequest request, WorkerCandidates active, long seed) {
    rows.copyFrom(active);
    failed = false;
    try {
      choice = selector.select(request, rows, random.start(seed));
    } catch (Throwable brokenShadow) {
      choice = null;
      failed = true;
    }
  }

  /** Prices the shadow's choice by the active policy. */
  void after(
      SchedulingRequest request,
      WorkerSelector active,
      WorkerCandidates kept,
      @Nullable WorkerSelectionResult chosen) {
    decisions++;
    if (failed) {
      failures++;
      return;
    }
    if (choice == null || chosen == null) {
      agreements += choice == null && chosen == null ? 1 : 0;
      return;
    }
    if (choice.worker().equals(chosen.worker())) {
      agreements++;
      return;
    }
    for (int row = 0; row < kept.size(); row++) {
      if (kept.worker(row).equals(choice.worker())) {
        add(active.cost(request, kept, row) - chosen.cost());
      }
    }
  }

  private void add(double more) {
    if (Double.isFinite(more)) {
      regret += more;
      maxRegret = Math.max(maxRegret, more);
    }
  }

  ShadowReport report() {
    return new ShadowReport(decisions, agreements, failures, regret, maxRegret);
  }
}
