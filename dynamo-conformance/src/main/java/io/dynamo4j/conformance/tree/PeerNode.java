// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A node of the peer's compressed tree: an edge, who covers how much of it, and children. */
final class PeerNode {
  final @Nullable PeerNode parent;
  List<Block> edge;

  /** Last position of each external hash in the edge. */
  private Map<Long, Integer> positions = Map.of();

  /** Ranks that cover the whole edge. */
  final Set<WorkerWithDpRank> full = new LinkedHashSet<>();

  /** Ranks that cover a part, with its length. */
  final Map<WorkerWithDpRank, Integer> cut = new LinkedHashMap<>();

  /** By the first local hash of the child's edge. */
  Map<Long, PeerNode> children = new LinkedHashMap<>();

  /** Whether this node ever had children; never unset. */
  boolean internal;

  PeerNode(@Nullable PeerNode parent, List<Block> edge) {
    this.parent = parent;
    this.edge = List.of();
    setEdge(edge);
  }

  void setEdge(List<Block> blocks) {
    edge = List.copyOf(blocks);
    positions = new HashMap<>();
    for (int i = 0; i < edge.size(); i++) {
      positions.put(edge.get(i).external(), i);
    }
  }

  /** Returns where an external hash stands in the edge, -1 if it does not. */
  int positionOf(long external) {
    return positions.getOrDefault(external, -1);
  }

  /** Returns how many leading blocks of the edge a rank covers. */
  int coverage(WorkerWithDpRank worker) {
    return full.contains(worker) ? edge.size() : cut.getOrDefault(worker, 0);
  }

  /** Makes a rank cover at least {@code length} blocks. */
  void grow(WorkerWithDpRank worker, int length) {
    if (length >= edge.size()) {
      full.add(worker);
      cut.remove(worker);
    } else if (length > coverage(worker)) {
      cut.put(worker, length);
    }
  }

  /** Leaves a rank with {@code length} blocks, fewer than before. */
  void shrink(WorkerWithDpRank worker, int length) {
    full.remove(worker);
    cut.remove(worker);
    if (length > 0) {
      cut.put(worker, length);
    }
  }

  boolean isHeld() {
    return !full.isEmpty() || !cut.isEmpty();
  }

  /** Returns how many leading blocks of the edge have the local hashes of {@code locals}. */
  int matchLocals(List<Long> locals) {
    int matched = 0;
    while (matched < Math.min(edge.size(), locals.size())
        && edge.get(matched).local() == locals.get(matched)) {
      matched++;
    }
    return matched;
  }
}
