// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import io.dynamo4j.kvrouter.WorkerSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One question to a policy.
 *
 * @param promptTokens of the request
 * @param rows the eligible ranks, at least one, each once
 * @param seed of the chance that the policy gets
 */
public record SelectionCase(int promptTokens, List<Row> rows, long seed) {
  private static final int BLOCK_SIZE = 4;

  /**
   * An eligible rank with what it holds of the prompt and carries.
   *
   * @param cachedBlocks leading blocks, at most those of the prompt
   */
  public record Row(
      WorkerWithDpRank worker,
      int cachedBlocks,
      long activePrefillTokens,
      long activeBlocks,
      int activeRequests) {}

  public SelectionCase {
    rows = List.copyOf(rows);
  }

  /**
   * Asks the policy, twice, with another question between.
   *
   * @throws AssertionError if it chooses what is no candidate, decides otherwise the second time,
   *     or says of its choice what is not so
   */
  public void check(WorkerSelector selector) {
    WorkerCandidates candidates = candidates();
    WorkerSelectionResult choice = select(selector, candidates);
    if (choice == null) {
      return;
    }
    assertThat(rows).as("candidates").extracting(Row::worker).contains(choice.worker());
    assertThat(choice.requiredBlocks()).as("requiredBlocks").isEqualTo(candidates.promptBlocks());
    assertThat(choice.cachedTokens()).as("cachedTokens").isBetween(0, promptTokens);
    assertThat(choice.effectiveOverlapBlocks())
        .as("effectiveOverlapBlocks")
        .isBetween(0.0, (double) candidates.promptBlocks());
    assertThat(choice.cost()).as("cost").isNotNaN();
    checkTold(selector, choice);
    select(selector, new SelectionCase(promptTokens, rows.subList(0, 1), seed + 1).candidates());
    assertThat(select(selector, candidates())).as("second time").isEqualTo(choice);
  }

  /** What the policy tells of the row must agree with what it chose. */
  private void checkTold(WorkerSelector selector, WorkerSelectionResult choice) {
    WorkerCandidates whole = candidates();
    for (int row = 0; row < whole.size(); row++) {
      if (whole.worker(row).equals(choice.worker())) {
        assertThat(selector.refusal(request(), whole, row)).as("refusal of the choice").isNull();
        double cost = selector.cost(request(), whole, row);
        if (!Double.isNaN(cost)) {
          assertThat(choice.cost()).as("cost").isCloseTo(cost, within(1e-9));
        }
      }
    }
  }

  private @Nullable WorkerSelectionResult select(
      WorkerSelector selector, WorkerCandidates candidates) {
    return selector.select(request(), candidates, RandomSource.seeded(seed));
  }

  private SchedulingRequest request() {
    return SchedulingRequest.builder("r", TokenSlice.wrap(new int[promptTokens])).build();
  }

  private WorkerCandidates candidates() {
    int blocks = (promptTokens + BLOCK_SIZE - 1) / BLOCK_SIZE;
    int fullBlocks = promptTokens / BLOCK_SIZE;
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(promptTokens, BLOCK_SIZE, fullBlocks, true);
    for (Row row : rows) {
      int cached = Math.min(row.cachedBlocks(), fullBlocks);
      int index = candidates.add(row.worker(), cached, 0, 0);
      candidates.setLoad(
          index,
          row.activePrefillTokens(),
          row.activeBlocks(),
          blocks - cached,
          row.activeRequests());
    }
    return candidates;
  }
}
