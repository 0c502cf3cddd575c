// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The index under test. */
final class OurIndex implements Index {
  private final SyncIndexer tree = RadixTree.create(1);
  private final OverlapScores scores = OverlapScores.create();
  private long lastEventId;

  @Override
  public Outcome store(WorkerWithDpRank worker, @Nullable Long parent, List<Block> blocks) {
    long[] externals = blocks.stream().mapToLong(Block::external).toArray();
    long[] locals = blocks.stream().mapToLong(Block::local).toArray();
    return apply(
        worker,
        parent == null
            ? Stored.atRoot(externals, locals)
            : Stored.under(parent, externals, locals));
  }

  @Override
  public Outcome remove(WorkerWithDpRank worker, List<Long> externals) {
    long[] hashes = externals.stream().mapToLong(Long::longValue).toArray();
    return apply(worker, KvCacheEventData.Removed.of(hashes));
  }

  @Override
  public void clear(WorkerWithDpRank worker) {
    apply(worker, KvCacheEventData.Cleared.instance());
  }

  @Override
  public void clearWorker(long workerId) {
    tree.removeWorker(workerId);
  }

  @Override
  public SortedMap<WorkerWithDpRank, Integer> find(List<Long> locals) {
    return find(locals, LookupScope.all());
  }

  /** Returns the same, but stops as soon as one rank is left. */
  SortedMap<WorkerWithDpRank, Integer> findBest(List<Long> locals) {
    return find(locals, LookupScope.all().stoppingAtLastRank());
  }

  private SortedMap<WorkerWithDpRank, Integer> find(List<Long> locals, LookupScope scope) {
    long[] query = locals.stream().mapToLong(Long::longValue).toArray();
    tree.findMatches(query, query.length, scope, scores);
    SortedMap<WorkerWithDpRank, Integer> found = new TreeMap<>();
    for (int i = 0; i < scores.size(); i++) {
      found.put(scores.worker(i), scores.depth(i));
    }
    return found;
  }

  private Outcome apply(WorkerWithDpRank worker, KvCacheEventData data) {
    KvCacheEvent event = KvCacheEvent.of(++lastEventId, worker.dpRank(), data);
    ApplyResult result = tree.apply(RouterEvent.of(worker.workerId(), StorageTier.DEVICE, event));
    return switch (result.outcome()) {
      case APPLIED, DUPLICATE -> Outcome.OK;
      case PARENT_NOT_FOUND -> Outcome.PARENT_NOT_FOUND;
      case SELF_REFERENCE -> Outcome.SELF_REFERENCE;
      case UNKNOWN_BLOCKS -> Outcome.UNKNOWN_BLOCKS;
      case OUT_OF_CAPACITY -> throw new IllegalStateException("index is full: " + result);
    };
  }
}
