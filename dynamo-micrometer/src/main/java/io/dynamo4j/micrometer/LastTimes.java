// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.RoutingEvent;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The last request of each rank that is shown.
 *
 * <p>Thread-safe; a request costs one lookup.
 */
final class LastTimes {
  private static final double NANOS_PER_SECOND = 1e9;

  private final ConcurrentSkipListMap<WorkerWithDpRank, OfRank> ranks =
      new ConcurrentSkipListMap<>();

  /** One rank: figures of its last request that had any, 0 before. */
  static final class OfRank {
    private volatile double firstToken;
    private volatile double interToken;
    private volatile int promptTokens;

    double firstToken() {
      return firstToken;
    }

    double interToken() {
      return interToken;
    }

    int promptTokens() {
      return promptTokens;
    }
  }

  /** Begins to follow a rank, anew if it was followed before. */
  OfRank open(WorkerWithDpRank rank) {
    OfRank times = new OfRank();
    ranks.put(rank, times);
    return times;
  }

  /** Forgets all ranks of a worker. */
  void close(long workerId) {
    ranks
        .subMap(
            new WorkerWithDpRank(workerId, 0),
            true,
            new WorkerWithDpRank(workerId, Integer.MAX_VALUE),
            true)
        .clear();
  }

  void ended(RoutingEvent.Ended ended) {
    OfRank times = ranks.get(ended.worker());
    if (times == null || ended.firstTokenNanos() < 0) {
      return;
    }
    times.firstToken = ended.firstTokenNanos() / NANOS_PER_SECOND;
    times.promptTokens = ended.promptTokens();
    if (ended.outputTokens() > 1) {
      long nanos = ended.lastTokenNanos() - ended.firstTokenNanos();
      times.interToken = nanos / NANOS_PER_SECOND / (ended.outputTokens() - 1);
    }
  }
}
