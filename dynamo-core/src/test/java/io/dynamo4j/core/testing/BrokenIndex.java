// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * An index with one planted fault, each a fault that a real index has had: harnesses must see it.
 */
public final class BrokenIndex implements SyncIndexer {

  /** What is wrong. */
  public enum Fault {
    /** A gap in the chain does not end a score. */
    COUNTS_BEHIND_GAPS,
    /** Scores of a rank that shares its first block with another follow the other's. */
    SKIPS_INTERSECTION,
    /** A clear of one rank takes the worker's other ranks along. */
    CLEARS_ALL_RANKS,
    /** An unknown hash ends a removal. */
    STOPS_AT_UNKNOWN,
    /** A store under an unknown parent goes to the root. */
    ADOPTS_ORPHANS,
    /** Removals below a removed block are forgotten. */
    LEAKS_LAST_REMOVAL,
    /** A lookup scores ranks outside of its scope. */
    IGNORES_SCOPE
  }

  private final ReferenceIndex right = ReferenceIndex.create();
  private final Fault fault;

  private BrokenIndex(Fault fault) {
    this.fault = fault;
  }

  public static BrokenIndex with(Fault fault) {
    return new BrokenIndex(fault);
  }

  @Override
  public ApplyResult apply(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    if (data instanceof KvCacheEventData.Removed removed) {
      return right.apply(with(event, KvCacheEventData.Removed.of(tamper(event, removed))));
    }
    if (fault == Fault.CLEARS_ALL_RANKS && data instanceof KvCacheEventData.Cleared) {
      ApplyResult result = right.apply(event);
      right.removeWorker(event.workerId());
      return result;
    }
    if (fault == Fault.ADOPTS_ORPHANS
        && data instanceof KvCacheEventData.Stored stored
        && stored.hasParent()
        && !right.hashesOf(event.worker()).contains(stored.parentHash())) {
      return right.apply(
          with(event, KvCacheEventData.Stored.atRoot(stored.blockHashes(), stored.tokensHashes())));
    }
    return right.apply(event);
  }

  private long[] tamper(RouterEvent event, KvCacheEventData.Removed removed) {
    long[] hashes = removed.blockHashes();
    if (fault == Fault.LEAKS_LAST_REMOVAL && hashes.length > 2) {
      return Arrays.copyOf(hashes, hashes.length - 1);
    }
    if (fault != Fault.STOPS_AT_UNKNOWN) {
      return hashes;
    }
    List<Long> held = right.hashesOf(event.worker());
    int known = 0;
    while (known < hashes.length && held.contains(hashes[known])) {
      known++;
    }
    return Arrays.copyOf(hashes, Math.min(hashes.length, known + 1));
  }

  private static RouterEvent with(RouterEvent event, KvCacheEventData data) {
    return RouterEvent.of(
        event.workerId(), event.tier(), KvCacheEvent.of(0, event.event().dpRank(), data));
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    right.findMatches(localHashes, count, out);
    if (fault == Fault.COUNTS_BEHIND_GAPS) {
      OverlapScores exact = copyOf(out);
      out.clear();
      for (int i = 0; i < exact.size(); i++) {
        out.add(exact.worker(i), deepest(exact.worker(i), localHashes, count));
      }
    } else if (fault == Fault.SKIPS_INTERSECTION && out.size() > 1) {
      OverlapScores exact = copyOf(out);
      out.clear();
      for (int i = 0; i < exact.size(); i++) {
        out.add(exact.worker(i), Math.max(exact.depth(i), exact.depth(0)));
      }
    }
  }

  @Override
  public void findMatches(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
    if (fault == Fault.IGNORES_SCOPE) {
      right.findMatches(localHashes, count, out);
    } else {
      right.findMatches(localHashes, count, scope, out);
    }
  }

  private static OverlapScores copyOf(OverlapScores scores) {
    OverlapScores copy = OverlapScores.create();
    for (int i = 0; i < scores.size(); i++) {
      copy.add(scores.worker(i), scores.depth(i));
    }
    return copy;
  }

  private int deepest(WorkerWithDpRank worker, long[] localHashes, int count) {
    int deepest = 0;
    List<Long> place = new ArrayList<>();
    for (int depth = 1; depth <= count; depth++) {
      place.add(localHashes[depth - 1]);
      deepest = right.holds(worker, place) ? depth : deepest;
    }
    return deepest;
  }

  @Override
  public void removeWorker(long workerId) {
    right.removeWorker(workerId);
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    right.removeWorkerDpRank(worker);
  }

  @Override
  public long blockCount() {
    return right.blockCount();
  }

  @Override
  public void dump(Consumer<RouterEvent> sink) {
    right.dump(sink);
  }
}
