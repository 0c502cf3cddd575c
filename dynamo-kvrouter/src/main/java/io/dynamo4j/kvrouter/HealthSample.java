// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.PublisherActivity;
import io.dynamo4j.indexer.SourceConflict;
import io.dynamo4j.indexer.SourceStatus;
import io.dynamo4j.plane.WorkerInstance;
import java.util.List;
import java.util.Map;

/**
 * Everything that checks of health look at, as of one moment; counters never go back unless their
 * rank begins anew.
 *
 * @param nanos the moment
 * @param isFed whether the events of workers are seen at all
 * @param isApproximate whether the index learns from decisions alone
 * @param blockSize that prompts are hashed with
 * @param workers who is registered
 * @param ranks what is counted of each registered rank
 * @param lookups what prompts were looked up
 * @param publishers who publishes events, by unsigned id
 * @param conflicts ranks with two publishers
 * @param sources whom recovery asks
 * @param oneSided ranks that are durable where the router is not, or the other way round
 * @param overloadedRanks ranks that busy thresholds exclude
 * @param peers the other routers
 * @param remote what came of asking an index elsewhere
 */
record HealthSample(
    long nanos,
    boolean isFed,
    boolean isApproximate,
    int blockSize,
    List<WorkerInstance> workers,
    Map<WorkerWithDpRank, RankFigures> ranks,
    LookupFigures lookups,
    List<PublisherActivity> publishers,
    List<SourceConflict> conflicts,
    List<SourceStatus> sources,
    List<WorkerWithDpRank> oneSided,
    int overloadedRanks,
    PeerFigures peers,
    RemoteFigures remote) {

  /** Returns what is counted of a rank in the life that another sample saw it in, or nothing. */
  RankFigures rank(WorkerWithDpRank worker, HealthSample asIn) {
    RankFigures then = asIn.ranks.get(worker);
    long incarnation = then == null ? 0 : then.incarnation();
    RankFigures figures = ranks.get(worker);
    return figures == null || figures.incarnation() != incarnation
        ? RankFigures.none(incarnation)
        : figures;
  }

  /** Returns what came from a publisher, nothing if it is not known. */
  PublisherActivity publisher(long publisherId) {
    int low = 0;
    int high = publishers.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      PublisherActivity publisher = publishers.get(middle);
      int order = Long.compareUnsigned(publisher.publisherId(), publisherId);
      if (order == 0) {
        return publisher;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return new PublisherActivity(publisherId, 0, 0, 0, 0);
  }
}
