// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import org.junit.jupiter.api.Test;

class DurableSourcesTest {
  private static final WorkerWithDpRank FIRST = new WorkerWithDpRank(1, 0);
  private static final WorkerWithDpRank SECOND = new WorkerWithDpRank(2, 1);

  @Test
  void shouldNameRanksThatWriteWhereTheRouterDoesNotRead() {
    DurableSources durable = DurableSources.create(false);

    assertThat(durable.oneSided()).isEmpty();
    durable.written(SECOND);
    durable.written(FIRST);
    durable.liveOnly(FIRST);

    assertThat(durable.readsLog()).isFalse();
    assertThat(durable.oneSided()).containsExactly(SECOND);
  }

  @Test
  void shouldNameRanksThatDoNotWriteWhereTheRouterReads() {
    DurableSources durable = DurableSources.create(true);

    durable.written(FIRST);
    durable.liveOnly(SECOND);
    assertThat(durable.oneSided()).containsExactly(SECOND);

    durable.written(SECOND);
    assertThat(durable.oneSided()).isEmpty();
  }

  @Test
  void shouldForgetTheRanksOfAWorkerThatIsGone() {
    DurableSources durable = DurableSources.create(false);
    durable.written(FIRST);
    durable.written(SECOND);

    durable.forget(SECOND.workerId());

    assertThat(durable.oneSided()).containsExactly(FIRST);
  }

  @Test
  void shouldStayBounded() {
    DurableSources durable = DurableSources.create(false);
    for (int i = 0; i < DurableSources.MAX_RANKS + 10; i++) {
      durable.written(new WorkerWithDpRank(i, 0));
    }

    assertThat(durable.oneSided()).hasSize(DurableSources.MAX_RANKS);
  }
}
