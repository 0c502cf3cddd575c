// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.DurableSources;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds against each other who is seen where a router reads and who is seen elsewhere: a rank that
 * shows itself elsewhere alone for a while is one that the router does not hear. One lane.
 */
final class OneSidedRanks {
  /** How long a writer may take, or a bridge. */
  private static final long GRACE_NANOS = 20_000_000_000L;

  private final DurableSources sources;
  private final Map<WorkerWithDpRank, Long> hereNanos = new LinkedHashMap<>();
  private final Map<WorkerWithDpRank, Long> elsewhereNanos = new LinkedHashMap<>();

  OneSidedRanks(DurableSources sources) {
    this.sources = sources;
  }

  /** A rank's event where the router reads. */
  void here(WorkerWithDpRank rank, long nowNanos) {
    elsewhereNanos.remove(rank);
    boolean isKnown = hereNanos.replace(rank, nowNanos) != null;
    if (!isKnown && hereNanos.size() < DurableSources.MAX_RANKS) {
      hereNanos.put(rank, nowNanos);
      tell(rank, sources.readsLog());
    }
  }

  /** A rank's event elsewhere: one should show where the router reads, soon or a moment ago. */
  void elsewhere(WorkerWithDpRank rank, long nowNanos) {
    Long shown = hereNanos.get(rank);
    boolean isHeard = shown != null && nowNanos - shown < GRACE_NANOS;
    if (!isHeard && elsewhereNanos.size() < DurableSources.MAX_RANKS) {
      elsewhereNanos.putIfAbsent(rank, nowNanos);
    }
  }

  /** Tells of ranks that have not shown in time; called while the router can read. */
  void check(long nowNanos) {
    List<WorkerWithDpRank> silent = new ArrayList<>();
    elsewhereNanos.forEach(
        (rank, since) -> {
          if (nowNanos - since >= GRACE_NANOS) {
            silent.add(rank);
          }
        });
    for (WorkerWithDpRank rank : silent) {
      hereNanos.remove(rank);
      tell(rank, !sources.readsLog());
    }
  }

  private void tell(WorkerWithDpRank rank, boolean isInLog) {
    if (isInLog) {
      sources.written(rank);
    } else {
      sources.liveOnly(rank);
    }
  }

  /** The router cannot read: what does not show says nothing. */
  void pause() {
    elsewhereNanos.clear();
  }

  /** Forgets a worker. */
  void forget(long workerId) {
    elsewhereNanos.keySet().removeIf(rank -> rank.workerId() == workerId);
    hereNanos.keySet().removeIf(rank -> rank.workerId() == workerId);
    sources.forget(workerId);
  }
}
