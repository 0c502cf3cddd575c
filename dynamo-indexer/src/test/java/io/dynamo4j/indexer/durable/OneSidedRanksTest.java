// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.DurableSources;
import org.junit.jupiter.api.Test;

class OneSidedRanksTest {
  private static final long SECOND = 1_000_000_000L;

  private final DurableSources sources = DurableSources.create(true);
  private final OneSidedRanks ranks = new OneSidedRanks(sources);

  @Test
  void shouldGoOnHearingRanksThatItKnowsWhenItKnowsAsManyAsItMay() {
    for (int worker = 0; worker < DurableSources.MAX_RANKS; worker++) {
      ranks.here(new WorkerWithDpRank(worker, 0), 0);
    }
    WorkerWithDpRank both = new WorkerWithDpRank(7, 0);
    WorkerWithDpRank live = new WorkerWithDpRank(8, 0);

    ranks.here(both, 30 * SECOND);
    ranks.elsewhere(both, 31 * SECOND);
    ranks.elsewhere(live, 31 * SECOND);
    ranks.check(60 * SECOND);

    assertThat(sources.oneSided()).containsExactly(live);
  }
}
