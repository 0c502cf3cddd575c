// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a router without events should believe, in plain collections: blocks of its own decisions,
 * for a time or as long as the rank has room. Requests run one after the other.
 */
final class DecidedBlocks {
  private static final double DEFAULT_TTL_SECONDS = 120;

  private final RouterSetup setup;
  private final boolean byRoom;
  private final long ttlNanos;
  // By the way from the root: when, or in what order, the block was last used.
  private final Map<WorkerWithDpRank, Map<List<Long>, Long>> blocks = new LinkedHashMap<>();
  private long uses;

  DecidedBlocks(RouterSetup setup) {
    JsonNode config = setup.content().path("router_config");
    this.setup = setup;
    this.byRoom = config.path("router_approximate_cache_policy").asText().equals("lru");
    this.ttlNanos = (long) (config.path("router_ttl_secs").asDouble(DEFAULT_TTL_SECONDS) * 1e9);
  }

  /** A rank was told to expect a prompt that is not sent; by room that says nothing. */
  void told(WorkerWithDpRank worker, List<Long> locals, long nowNanos) {
    if (!byRoom) {
      use(worker, locals, nowNanos);
    }
  }

  /**
   * A rank was sent a prompt and has answered.
   *
   * @param ownBlocks blocks that the request alone had, its prompt's partial one included
   */
  void served(WorkerWithDpRank worker, List<Long> locals, int ownBlocks, long nowNanos) {
    use(worker, locals, nowNanos);
    if (byRoom) {
      Set<List<Long>> running = new HashSet<>();
      for (int depth = 1; depth <= locals.size(); depth++) {
        running.add(locals.subList(0, depth));
      }
      makeRoom(worker, running, ownBlocks);
      makeRoom(worker, Set.of(), 0);
    }
  }

  private void use(WorkerWithDpRank worker, List<Long> locals, long nowNanos) {
    Map<List<Long>, Long> rank = blocks.computeIfAbsent(worker, w -> new LinkedHashMap<>());
    for (int depth = locals.size(); depth > 0; depth--) {
      rank.put(List.copyOf(locals.subList(0, depth)), byRoom ? uses++ : nowNanos);
    }
  }

  private void makeRoom(WorkerWithDpRank worker, Set<List<Long>> running, int ownBlocks) {
    Map<List<Long>, Long> rank = blocks.getOrDefault(worker, new LinkedHashMap<>());
    while (rank.size() + ownBlocks > setup.worker(worker).totalKvBlocks()) {
      List<Long> longestUnused =
          rank.keySet().stream()
              .filter(path -> !running.contains(path))
              .min(Comparator.comparing(rank::get))
              .orElse(null);
      if (longestUnused == null) {
        return;
      }
      rank.remove(longestUnused);
    }
  }

  /** Returns the matched blocks of each rank. */
  Map<WorkerWithDpRank, Integer> find(List<Long> locals, long nowNanos) {
    Map<WorkerWithDpRank, Integer> found = new LinkedHashMap<>();
    blocks.forEach(
        (worker, rank) -> {
          int depth = 0;
          while (depth < locals.size()
              && isBelieved(rank.get(locals.subList(0, depth + 1)), nowNanos)) {
            depth++;
          }
          if (depth > 0) {
            found.put(worker, depth);
          }
        });
    return found;
  }

  private boolean isBelieved(@Nullable Long used, long nowNanos) {
    return used != null && (byRoom || nowNanos - used < ttlNanos);
  }
}
