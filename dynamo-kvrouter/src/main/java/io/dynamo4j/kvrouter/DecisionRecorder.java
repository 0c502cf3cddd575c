// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs the policy, and beside it whatever only looks on: a record of some decisions, and a shadow
 * policy. Neither changes what the policy sees or draws.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class DecisionRecorder {
  private static final long SAMPLING = 0x5851f42d4c957f2dL;

  private final WorkerSelector selector;
  private final double rate;
  private final @Nullable ShadowPolicy shadow;
  private final DecisionRandom random = new DecisionRandom();
  private @Nullable DecisionRecord last;

  /**
   * Makes a recorder.
   *
   * @param rate share of decisions that are recorded, 0 to 1
   */
  DecisionRecorder(WorkerSelector selector, double rate, @Nullable ShadowPolicy shadow) {
    this.selector = selector;
    this.rate = rate;
    this.shadow = shadow;
  }

  /** Returns the record of the decision made last, null if it was not recorded. */
  @Nullable DecisionRecord last() {
    return last;
  }

  @Nullable ShadowPolicy shadow() {
    return shadow;
  }

  /** Returns whether the decision of this seed is among those recorded. */
  boolean isSampled(long seed) {
    return rate > 0 && (DecisionRandom.mix(seed ^ SAMPLING) >>> 11) * 0x1.0p-53 < rate;
  }

  @Nullable WorkerSelectionResult select(
      SchedulingRequest request,
      WorkerCandidates rows,
      long seed,
      @Nullable Map<WorkerWithDpRank, IneligibilityReason> ineligible) {
    last = null;
    if (shadow != null) {
      shadow.before(request, rows, seed);
    }
    List<DecisionCandidate> before = ineligible == null ? null : copy(request, rows);
    FleetForecast forecast = ineligible == null ? null : rows.fleetForecast();
    WorkerSelectionResult selection = selector.select(request, rows, random.start(seed));
    if (before != null && ineligible != null) {
      last =
          new DecisionRecord(
              request,
              rows.blockSize(),
              rows.trackedBlocks(),
              rows.tracksPrefillTokens(),
              forecast,
              priced(request, before, rows),
              Collections.unmodifiableMap(ineligible),
              seed,
              selection);
    }
    if (shadow != null) {
      shadow.after(request, selector, rows, selection);
    }
    return selection;
  }

  private List<DecisionCandidate> copy(SchedulingRequest request, WorkerCandidates rows) {
    List<DecisionCandidate> copy = new ArrayList<>(rows.size());
    for (int row = 0; row < rows.size(); row++) {
      copy.add(DecisionCandidate.of(rows, row, Double.NaN, selector.refusal(request, rows, row)));
    }
    return copy;
  }

  /** Adds the costs of the rows that the policy kept. */
  private List<DecisionCandidate> priced(
      SchedulingRequest request, List<DecisionCandidate> before, WorkerCandidates rows) {
    List<DecisionCandidate> priced = new ArrayList<>(before);
    for (int row = 0; row < rows.size(); row++) {
      for (int i = 0; i < before.size(); i++) {
        if (before.get(i).worker().equals(rows.worker(row))) {
          priced.set(i, DecisionCandidate.of(rows, row, selector.cost(request, rows, row), null));
        }
      }
    }
    return Collections.unmodifiableList(priced);
  }
}
