// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.ApplyResult.Outcome;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The model of {@link SyncIndexer} word for word, in plain collections: for each rank, the places
 * of each hash, a place being the list of local hashes that leads to it. Ranks share nothing.
 *
 * <p>Slow (a place is a whole path) and plain on purpose: what it says is what an index must say.
 */
public final class ReferenceIndex implements SyncIndexer {
  private final Map<WorkerWithDpRank, Map<Long, List<List<Long>>>> ranks = new TreeMap<>();
  private final ApplyResult result = ApplyResult.create();

  private ReferenceIndex() {}

  public static ReferenceIndex create() {
    return new ReferenceIndex();
  }

  @Override
  public ApplyResult apply(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    if (data instanceof KvCacheEventData.Stored stored) {
      return store(event.worker(), stored);
    }
    if (data instanceof KvCacheEventData.Removed removed) {
      return remove(event.worker(), removed.blockHashes());
    }
    return result.removed(countOf(ranks.remove(event.worker())), 0);
  }

  private ApplyResult store(WorkerWithDpRank worker, KvCacheEventData.Stored stored) {
    Map<Long, List<List<Long>>> held = ranks.getOrDefault(worker, new LinkedHashMap<>());
    List<Long> place = List.of();
    if (stored.hasParent()) {
      for (long hash : stored.blockHashes()) {
        if (hash == stored.parentHash()) {
          return result.rejected(Outcome.SELF_REFERENCE, stored.blockCount());
        }
      }
      List<List<Long>> places = held.get(stored.parentHash());
      if (places == null) {
        return result.rejected(Outcome.PARENT_NOT_FOUND, stored.blockCount());
      }
      place = places.get(places.size() - 1);
    }
    int added = 0;
    for (int i = 0; i < stored.blockCount(); i++) {
      place = child(place, stored.tokensHashes()[i]);
      List<List<Long>> places =
          held.computeIfAbsent(stored.blockHashes()[i], hash -> new ArrayList<>());
      added += places.remove(place) ? 0 : 1;
      places.add(place);
    }
    if (!held.isEmpty()) {
      ranks.put(worker, held);
    }
    return result.stored(added, stored.blockCount() - added);
  }

  private static List<Long> child(List<Long> parent, long localHash) {
    List<Long> place = new ArrayList<>(parent);
    place.add(localHash);
    return place;
  }

  private ApplyResult remove(WorkerWithDpRank worker, long[] hashes) {
    Map<Long, List<List<Long>>> held = ranks.getOrDefault(worker, new LinkedHashMap<>());
    int removed = 0;
    int unknown = 0;
    for (long hash : hashes) {
      List<List<Long>> places = held.remove(hash);
      removed += places == null ? 0 : places.size();
      unknown += places == null ? 1 : 0;
    }
    if (held.isEmpty()) {
      ranks.remove(worker);
    }
    return result.removed(removed, unknown);
  }

  /** Returns whether a rank holds a place by any hash. */
  public boolean holds(WorkerWithDpRank worker, List<Long> place) {
    Map<Long, List<List<Long>>> held = ranks.getOrDefault(worker, Map.of());
    return held.values().stream().anyMatch(places -> places.contains(place));
  }

  /** Returns the hashes that a rank holds, in the order of their first store. */
  public List<Long> hashesOf(WorkerWithDpRank worker) {
    return List.copyOf(ranks.getOrDefault(worker, Map.of()).keySet());
  }

  /** Returns the ranks that hold something, in order. */
  public List<WorkerWithDpRank> workers() {
    return List.copyOf(ranks.keySet());
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    Objects.checkFromIndexSize(0, count, localHashes.length);
    out.clear();
    for (WorkerWithDpRank worker : ranks.keySet()) {
      int depth = 0;
      List<Long> place = List.of();
      while (depth < count) {
        place = child(place, localHashes[depth]);
        if (!holds(worker, place)) {
          break;
        }
        depth++;
      }
      if (depth > 0) {
        out.add(worker, depth);
      }
    }
  }

  @Override
  public void removeWorker(long workerId) {
    ranks.keySet().removeIf(worker -> worker.workerId() == workerId);
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    ranks.remove(worker);
  }

  @Override
  public long blockCount() {
    return ranks.values().stream().mapToLong(ReferenceIndex::countOf).sum();
  }

  private static int countOf(@Nullable Map<Long, List<List<Long>>> held) {
    return held == null ? 0 : held.values().stream().mapToInt(List::size).sum();
  }

  /** Says the whole path of every place that can be reached, each under each of its hashes. */
  @Override
  public void dump(Consumer<RouterEvent> sink) {
    long[] nextId = {0};
    ranks.forEach(
        (worker, held) ->
            held.forEach(
                (hash, places) -> {
                  for (List<Long> place : places) {
                    long[] hashes = hashesOfPath(held, place);
                    if (hashes.length == place.size()) {
                      hashes[hashes.length - 1] = hash;
                      long[] path = place.stream().mapToLong(Long::longValue).toArray();
                      KvCacheEventData data = KvCacheEventData.Stored.atRoot(hashes, path);
                      KvCacheEvent event = KvCacheEvent.of(nextId[0]++, worker.dpRank(), data);
                      sink.accept(RouterEvent.of(worker.workerId(), StorageTier.DEVICE, event));
                    }
                  }
                }));
  }

  /** Returns one hash for each place on the path, fewer if one is not held. */
  private static long[] hashesOfPath(Map<Long, List<List<Long>>> held, List<Long> place) {
    List<Long> hashes = new ArrayList<>();
    for (int depth = 1; depth <= place.size(); depth++) {
      List<Long> prefix = place.subList(0, depth);
      held.entrySet().stream()
          .filter(entry -> entry.getValue().contains(prefix))
          .findFirst()
          .ifPresent(entry -> hashes.add(entry.getKey()));
    }
    return hashes.stream().mapToLong(Long::longValue).toArray();
  }
}
