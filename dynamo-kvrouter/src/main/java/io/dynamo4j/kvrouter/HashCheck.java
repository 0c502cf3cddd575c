// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.FoundFaults.Evidence;
import io.dynamo4j.plane.WorkerInstance;

/** Finds ranks that hash otherwise than the router, and lookups that cannot find anything. */
final class HashCheck implements HealthCheck {
  private static final int WINDOW_SECONDS = 40;
  private static final int LEAST_UNMATCHED = 3;
  private static final int LOOKUP_SECONDS = 30;
  private static final int LEAST_MISSED = 10;

  @Override
  public void check(HealthWindow window, FoundFaults found) {
    for (WorkerInstance worker : window.now().workers()) {
      int blockSize = worker.kvBlockSize();
      if (blockSize != WorkerInstance.UNKNOWN && blockSize != window.now().blockSize()) {
        found.addWorker(
            HealthKind.WRONG_BLOCK_SIZE,
            worker.rank(0),
            Evidence.of("blockSize", blockSize).and("expected", window.now().blockSize()));
      }
      for (int i = 0; i < worker.dpSize(); i++) {
        checkRank(window, worker.rank(i), found);
      }
    }
    checkLookups(window, found);
  }

  private static void checkRank(HealthWindow window, WorkerWithDpRank rank, FoundFaults found) {
    HealthSample end = window.now();
    RankFigures now = end.rank(rank, end);
    HealthSample start = window.ago(WINDOW_SECONDS);
    RankFigures before =
        start == null ? RankFigures.none(now.incarnation()) : start.rank(rank, end);
    long unmatched = now.unmatched() - before.unmatched();
    long events = now.events() - before.events();
    if (unmatched >= LEAST_UNMATCHED && now.matched() == before.matched() && events > 0) {
      found.addRank(
          HealthKind.HASHES_NEVER_MATCH,
          rank,
          Evidence.of("unmatchedPrompts", unmatched)
              .and("matchedPrompts", 0)
              .and("events", events));
    }
  }

  private static void checkLookups(HealthWindow window, FoundFaults found) {
    long missed = window.growth(LOOKUP_SECONDS, sample -> sample.lookups().missed());
    long hits = window.growth(LOOKUP_SECONDS, sample -> sample.lookups().found());
    if (missed >= LEAST_MISSED && hits == 0 && !window.now().isApproximate()) {
      long lookups = window.growth(LOOKUP_SECONDS, sample -> sample.lookups().lookups());
      found.add(
          HealthKind.LOOKUPS_MISSING,
          "index",
          Evidence.of("lookups", lookups).and("found", 0).and("computedJustBefore", missed));
    }
  }
}
