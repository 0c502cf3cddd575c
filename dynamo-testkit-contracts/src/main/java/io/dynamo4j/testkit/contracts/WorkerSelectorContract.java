// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.WorkerSelector;
import io.dynamo4j.testkit.contracts.SelectionCase.Row;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every policy must do, whoever wrote it, whatever it prefers. Extend it and say how yours is
 * made. {@link WorkerSelectorPropertyContract} asks arbitrary questions.
 */
public abstract class WorkerSelectorContract {
  private static final int SEEDS = 20;

  /** Makes the policy under test. */
  protected abstract WorkerSelector create();

  private static Row idle(long worker, int cachedBlocks) {
    return new Row(WorkerWithDpRank.of(worker), cachedBlocks, 0, 0, 0);
  }

  private void ask(int promptTokens, Row... rows) {
    for (long seed = 0; seed < SEEDS; seed++) {
      new SelectionCase(promptTokens, List.of(rows), seed).check(create());
    }
  }

  @Test
  public void shouldChooseTheOnlyCandidateOrNobody() {
    ask(16, idle(7, 0));
  }

  @Test
  public void shouldChooseACandidateAmongEquals() {
    ask(16, idle(1, 0), idle(2, 0), idle(3, 0));
  }

  @Test
  public void shouldDecideTheSameASecondTime() {
    List<Row> rows = new ArrayList<>();
    for (int i = 1; i <= 8; i++) {
      rows.add(idle(i, i % 3));
    }
    ask(17, rows.toArray(Row[]::new));
  }

  @Test
  public void shouldTakeAPromptWithoutTokens() {
    ask(0, idle(1, 0), idle(2, 0));
  }

  @Test
  public void shouldTakeIdsBeyondTheSignedOnesAndSeveralRanks() {
    ask(16, idle(-1, 2), new Row(new WorkerWithDpRank(-1, 1), 0, 100, 50, 5));
  }

  @Test
  public void shouldSayOfItsChoiceWhatIsSo() {
    ask(18, idle(1, 4), new Row(WorkerWithDpRank.of(2), 1, 40, 10, 2));
  }
}
