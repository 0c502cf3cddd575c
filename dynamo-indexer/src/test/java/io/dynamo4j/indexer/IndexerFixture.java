// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Map;
import java.util.TreeMap;

/** Events and questions in short form. */
final class IndexerFixture {
  private IndexerFixture() {}

  /** A store at the root; block hash and local hash are the same numbers. */
  static RouterEvent store(long workerId, long... hashes) {
    return event(workerId, 0, KvCacheEventData.Stored.atRoot(hashes, hashes));
  }

  static RouterEvent storeUnder(long workerId, long parent, long... hashes) {
    return event(workerId, 0, KvCacheEventData.Stored.under(parent, hashes, hashes));
  }

  static RouterEvent remove(long workerId, long... hashes) {
    return event(workerId, 0, KvCacheEventData.Removed.of(hashes));
  }

  static RouterEvent event(long workerId, int dpRank, KvCacheEventData data) {
    return RouterEvent.of(workerId, StorageTier.DEVICE, KvCacheEvent.of(1, dpRank, data));
  }

  static WorkerInstance instance(long workerId, long incarnation) {
    return WorkerInstance.builder(workerId, new Address("memory", "w" + workerId))
        .incarnation(incarnation)
        .build();
  }

  static Map<WorkerWithDpRank, Integer> scores(KvIndexer index, long... query) {
    OverlapScores out = OverlapScores.create();
    index.findMatches(query, query.length, out);
    Map<WorkerWithDpRank, Integer> scores = new TreeMap<>();
    for (int i = 0; i < out.size(); i++) {
      scores.put(out.worker(i), out.depth(i));
    }
    return scores;
  }

  /** Hands one step of a stream to an index. */
  static void submit(KvIndexer index, IndexStep step) {
    if (step instanceof IndexStep.Event event) {
      index.submit(event(event.worker().workerId(), event.worker().dpRank(), event.data()));
    } else if (step instanceof IndexStep.WorkerGone gone) {
      index.removeWorker(gone.workerId());
    } else if (step instanceof IndexStep.RankGone gone) {
      index.removeWorkerDpRank(gone.worker());
    }
  }
}
