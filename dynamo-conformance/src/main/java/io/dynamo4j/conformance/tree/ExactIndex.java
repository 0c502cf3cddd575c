// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The right answer, from plain collections: each rank's own map from external hash to the places
 * (paths of local hashes) where it was stored, and nothing shared between ranks.
 */
final class ExactIndex implements Index {
  private final SortedMap<WorkerWithDpRank, Map<Long, List<List<Long>>>> ranks = new TreeMap<>();

  @Override
  public Outcome store(WorkerWithDpRank worker, @Nullable Long parent, List<Block> blocks) {
    List<Long> place = List.of();
    if (parent != null) {
      if (blocks.stream().anyMatch(block -> block.external() == parent)) {
        return Outcome.SELF_REFERENCE;
      }
      List<List<Long>> places = ranks.getOrDefault(worker, Map.of()).get(parent);
      if (places == null) {
        return Outcome.PARENT_NOT_FOUND;
      }
      place = places.get(places.size() - 1);
    }
    for (Block block : blocks) {
      place = new ArrayList<>(place);
      place.add(block.local());
      List<List<Long>> places =
          ranks
              .computeIfAbsent(worker, w -> new HashMap<>())
              .computeIfAbsent(block.external(), h -> new ArrayList<>());
      places.remove(place);
      places.add(place); // the latest place is the one that a child means
    }
    return Outcome.OK;
  }

  @Override
  public Outcome remove(WorkerWithDpRank worker, List<Long> externals) {
    Map<Long, List<List<Long>>> held = ranks.getOrDefault(worker, new HashMap<>());
    Outcome outcome = Outcome.OK;
    for (Long hash : externals) {
      if (held.remove(hash) == null) {
        outcome = Outcome.UNKNOWN_BLOCKS;
      }
    }
    return outcome;
  }

  @Override
  public void clear(WorkerWithDpRank worker) {
    ranks.remove(worker);
  }

  @Override
  public void clearWorker(long workerId) {
    ranks.keySet().removeIf(rank -> rank.workerId() == workerId);
  }

  @Override
  public SortedMap<WorkerWithDpRank, Integer> find(List<Long> locals) {
    SortedMap<WorkerWithDpRank, Integer> found = new TreeMap<>();
    ranks.forEach(
        (worker, held) -> {
          Set<List<Long>> places = new HashSet<>();
          held.values().forEach(places::addAll);
          int depth = 0;
          while (depth < locals.size() && places.contains(locals.subList(0, depth + 1))) {
            depth++;
          }
          if (depth > 0) {
            found.put(worker, depth);
          }
        });
    return found;
  }
}
