// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.indexer.FeedCounter;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryProgress;
import io.dynamo4j.simulation.index.IndexedWorker.HeldByRank;
import io.dynamo4j.testkit.search.RunOutcome.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Whether routers' indexes equal the caches, and whether they have come to rest. */
final class IndexJudge {
  private final List<IndexedWorker> workers;
  private final List<IndexedRouter> routers;
  private final BlockLedger ledger;
  private final OverlapScores scratch = OverlapScores.create();
  private long restoresAtRest;

  IndexJudge(List<IndexedWorker> workers, List<IndexedRouter> routers, BlockLedger ledger) {
    this.workers = workers;
    this.routers = routers;
    this.ledger = ledger;
  }

  boolean isSettled() {
    return difference() == null && unrest() == null;
  }

  /** Nothing should have to be restored from now on. */
  void rest() {
    restoresAtRest = restores();
  }

  Optional<Violation> violation() {
    String difference = difference();
    if (difference != null) {
      return Optional.of(new Violation("INDEX", difference));
    }
    String unrest = unrest();
    if (unrest == null && restores() != restoresAtRest) {
      unrest = "restores went on: from=" + restoresAtRest + ", to=" + restores();
    }
    return Optional.ofNullable(unrest).map(detail -> new Violation("REST", detail));
  }

  private long restores() {
    return routers.stream()
        .mapToLong(
            router ->
                router.feed().status().count(FeedCounter.RESTORES)
                    + router.feed().status().count(FeedCounter.CATCH_UPS))
        .sum();
  }

  private @Nullable String unrest() {
    for (int i = 0; i < routers.size(); i++) {
      RecoveryProgress progress = routers.get(i).feed().progress();
      if (progress.done() != progress.total()) {
        return "router=" + i + ", sources=" + routers.get(i).feed().sources();
      }
    }
    return null;
  }

  private @Nullable String difference() {
    List<HeldByRank> caches = new ArrayList<>();
    workers.forEach(worker -> caches.addAll(worker.caches()));
    long expected = caches.stream().mapToLong(cache -> cache.hashes.length).sum();
    for (int i = 0; i < routers.size(); i++) {
      KvIndexer index = routers.get(i).indexer();
      long actual = index.status().blocks();
      if (actual != expected) {
        return "router=" + i + ", blocks=" + actual + ", held=" + expected;
      }
      for (HeldByRank cache : caches) {
        String missing = missing(index, cache);
        if (missing != null) {
          return "router=" + i + missing;
        }
      }
    }
    return null;
  }

  /** As many blocks as are held, and each of those held: then there is no other. */
  private @Nullable String missing(KvIndexer index, HeldByRank cache) {
    for (long hash : cache.hashes) {
      long[] path = ledger.pathTo(hash);
      int depth = index.depthOf(cache.rank, path, path.length, scratch);
      if (depth != path.length) {
        return ", worker=" + cache.rank + ", depth=" + depth + ", held=" + path.length;
      }
    }
    return null;
  }

  void count(SortedMap<String, Long> facts) {
    facts.merge("runs", 1L, Long::sum);
    for (IndexedRouter router : routers) {
      for (FeedCounter counter : FeedCounter.values()) {
        facts.merge(counter.name(), router.feed().status().count(counter), Long::sum);
      }
      facts.merge("blocks", router.indexer().status().blocks(), Long::sum);
    }
  }
}
