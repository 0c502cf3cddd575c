// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.IndexerFixture.store;
import static io.dynamo4j.indexer.IndexerFixture.storeUnder;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final Environment environment = simulation.environment("router");
  private final Scheduler lane = environment.lanes().lane("listener");
  private final KvIndexer index =
      KvIndexer.builder().environment(environment).blockSize(16).build();
  private final List<String> heard = new ArrayList<>();

  private Subscription watch() {
    return index.watchRefusals(
        lane, (event, outcome) -> heard.add(event.workerId() + " " + outcome));
  }

  @Test
  void shouldReportStoresThatCannotBeApplied() {
    watch();
    index.submit(store(1, 5));
    index.submit(storeUnder(1, 9, 10));
    index.submit(storeUnder(2, 7, 7));
    assertThat(heard).isEmpty();
    simulation.run();

    assertThat(heard).containsExactly("1 PARENT_NOT_FOUND", "2 SELF_REFERENCE");
  }

  @Test
  void shouldReportNothingAfterTheWatchIsClosed() {
    Subscription watch = watch();
    index.submit(storeUnder(1, 9, 10));
    watch.close();
    simulation.run();
    index.submit(storeUnder(1, 9, 10));
    simulation.run();

    assertThat(heard).isEmpty();
  }

  @Test
  void shouldMarkRanksWhoseScoresMayBeOutOfDate() {
    assertThat(index.isStale(W1)).isFalse();
    index.markStale(W1, true);
    index.markStale(W1, true);

    assertThat(index.isStale(W1)).isTrue();
    assertThat(index.isStale(WorkerWithDpRank.of(2))).isFalse();
    assertThat(index.status().staleRanks()).isEqualTo(1);
    assertThat(index.status().health()).isEqualTo(KvIndexerStatus.Health.STALE);
    assertThat(index.status().toString()).contains("staleRanks=1");

    index.markStale(W1, false);
    assertThat(index.isStale(W1)).isFalse();
    assertThat(index.status().health()).isEqualTo(KvIndexerStatus.Health.EXACT);
  }
}
