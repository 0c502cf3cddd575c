// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Model of the peer's compressed tree as measured from outside, faults included: what it answers
 * where it is wrong. One tree for the single-threaded and the concurrent form.
 */
final class PeerTree implements Index {
  /*
   * Faults       F1  ranks share edges: a removal in mid-chain leaves the rank's blocks in other
   *                  nodes while another rank keeps the node full, and detaches them otherwise
   *              F2  an edge keeps the first external hash of a place: another hash for it is no
   *                  parent, and its removal does not end the coverage
   *  concurrent  F3  from the second node on, as many active ranks as full holders pass for the
   *                  same ranks
   *              F4  a store that leaves a node under a hash which is not the node's own loses the
   *                  rest; a store that repeats an external hash is dropped whole
   *              F5  nodes without holders stay and lend their external hashes to later stores
   */

  /**
   * Which faults of the concurrent form are in.
   *
   * @param concurrent F5, and removals that report nothing
   * @param countsHolders F3
   * @param dropsForeign F4
   */
  record Form(boolean concurrent, boolean countsHolders, boolean dropsForeign) {
    static final Form SINGLE = new Form(false, false, false);
    static final Form CONCURRENT = new Form(true, true, true);
  }

  private final Form form;
  private final PeerNode root = new PeerNode(null, List.of());
  private final Map<WorkerWithDpRank, Map<Long, PeerNode>> lookup = new TreeMap<>();
  private final Set<WorkerWithDpRank> foreign = new HashSet<>();

  PeerTree(Form form) {
    this.form = form;
  }

  /** Returns whether a rank ever stored a block whose place had another rank's or older hash. */
  boolean isForeign(WorkerWithDpRank worker) {
    return foreign.contains(worker);
  }

  /** Returns whether {@link #isForeign} for any rank. */
  boolean anyForeign() {
    return !foreign.isEmpty();
  }

  @Override
  public Outcome store(WorkerWithDpRank worker, @Nullable Long parent, List<Block> blocks) {
    Set<Long> externals = new HashSet<>();
    blocks.forEach(block -> externals.add(block.external()));
    boolean repeats = form.dropsForeign() && externals.size() < blocks.size();
    if (repeats || (parent != null && externals.contains(parent))) {
      return Outcome.SELF_REFERENCE;
    }
    Map<Long, PeerNode> own = lookup.computeIfAbsent(worker, w -> new HashMap<>());
    if (parent == null) {
      walk(worker, own, root, blocks);
      return Outcome.OK;
    }
    PeerNode node = own.get(parent);
    int at = node == null ? -1 : node.positionOf(parent);
    if (node == null || at < 0) {
      return Outcome.PARENT_NOT_FOUND;
    }
    if (at >= node.coverage(worker)) {
      own.remove(parent);
      return Outcome.PARENT_NOT_FOUND;
    }
    if (!blocks.isEmpty()) {
      walk(worker, own, node, afterParentInEdge(worker, own, node, at + 1, blocks));
    }
    return Outcome.OK;
  }

  /** Stores what follows inside the parent's own edge and returns what goes on at its end. */
  private List<Block> afterParentInEdge(
      WorkerWithDpRank worker,
      Map<Long, PeerNode> own,
      PeerNode node,
      int from,
      List<Block> blocks) {
    List<Block> rest = node.edge.subList(from, node.edge.size());
    if (rest.isEmpty()) {
      return blocks;
    }
    int matched = 0;
    while (matched < Math.min(rest.size(), blocks.size())
        && rest.get(matched).equals(blocks.get(matched))) {
      matched++;
    }
    boolean pastEnd = matched == rest.size() && (node.full.contains(worker) || !node.internal);
    if (matched < blocks.size() && !pastEnd) {
      split(node, from);
      return blocks;
    }
    node.grow(worker, from + matched);
    blocks.subList(0, matched).forEach(block -> own.put(block.external(), node));
    return blocks.subList(matched, blocks.size());
  }

  /** Stores below the end of a node: existing children by local hash, then a new piece. */
  private void walk(
      WorkerWithDpRank worker, Map<Long, PeerNode> own, PeerNode start, List<Block> blocks) {
    PeerNode node = start;
    List<Block> left = blocks;
    while (!left.isEmpty()) {
      PeerNode child = node.children.get(left.get(0).local());
      if (child == null) {
        append(worker, own, node, left);
        return;
      }
      int matched = child.matchLocals(locals(left));
      boolean parted = matched < left.size() && matched < child.edge.size();
      if (parted) {
        split(child, matched);
      }
      child.grow(worker, matched);
      for (int i = 0; i < matched; i++) {
        own.put(left.get(i).external(), child);
        if (child.positionOf(left.get(i).external()) != i) {
          foreign.add(worker);
        }
      }
      boolean lost = child.positionOf(left.get(matched - 1).external()) != matched - 1;
      left = left.subList(matched, left.size());
      if (form.dropsForeign() && lost && !parted) {
        return;
      }
      node = child;
    }
  }

  private void append(
      WorkerWithDpRank worker, Map<Long, PeerNode> own, PeerNode node, List<Block> blocks) {
    PeerNode target = node;
    if (node != root && !node.internal && node.full.contains(worker)) {
      int before = node.edge.size();
      for (WorkerWithDpRank other : List.copyOf(node.full)) {
        if (!other.equals(worker)) {
          node.shrink(other, before);
        }
      }
      List<Block> longer = new ArrayList<>(node.edge);
      longer.addAll(blocks);
      node.setEdge(longer);
    } else {
      target = new PeerNode(node, blocks);
      target.full.add(worker);
      node.children.put(blocks.get(0).local(), target);
      node.internal = true;
    }
    for (Block block : blocks) {
      own.put(block.external(), target);
    }
  }

  /** Cuts an edge in two; the lower part goes to a new child, or is lost if nobody holds it. */
  private void split(PeerNode node, int at) {
    PeerNode lower = new PeerNode(node, node.edge.subList(at, node.edge.size()));
    lower.children = node.children;
    lower.internal = node.internal;
    lower.full.addAll(node.full);
    Map<WorkerWithDpRank, Integer> cuts = new LinkedHashMap<>(node.cut);
    node.cut.clear();
    node.setEdge(node.edge.subList(0, at));
    node.internal = true;
    cuts.forEach(
        (worker, length) -> {
          node.grow(worker, length);
          if (length > at) {
            lower.cut.put(worker, length - at);
          }
        });
    node.children = new LinkedHashMap<>();
    if (lower.isHeld()) {
      node.children.put(lower.edge.get(0).local(), lower);
      repairLookup(node, lower);
    }
  }

  private void repairLookup(PeerNode upper, PeerNode lower) {
    Set<WorkerWithDpRank> holders = new LinkedHashSet<>(lower.full);
    holders.addAll(lower.cut.keySet());
    for (WorkerWithDpRank worker : holders) {
      Map<Long, PeerNode> own = lookup.getOrDefault(worker, Map.of());
      for (Block block : lower.edge.subList(0, lower.coverage(worker))) {
        if (own.get(block.external()) == upper) {
          own.put(block.external(), lower);
        }
      }
    }
  }

  @Override
  public Outcome remove(WorkerWithDpRank worker, List<Long> externals) {
    Map<Long, PeerNode> own = lookup.computeIfAbsent(worker, w -> new HashMap<>());
    Set<Long> gone = new HashSet<>();
    boolean unknown = false;
    for (Long hash : externals) {
      PeerNode node = own.get(hash);
      int at = node == null ? -1 : node.positionOf(hash);
      if (node == null || at < 0) {
        unknown |= node != null || !gone.contains(hash);
        continue;
      }
      own.remove(hash);
      gone.add(hash);
      int covered = node.coverage(worker);
      if (at < covered) {
        node.shrink(worker, at);
        for (Block block : node.edge.subList(at, covered)) {
          own.remove(block.external());
          gone.add(block.external());
        }
        detach(node);
      }
    }
    return unknown && !form.concurrent() ? Outcome.UNKNOWN_BLOCKS : Outcome.OK;
  }

  private void detach(PeerNode node) {
    if (node.full.isEmpty()) {
      node.children = new LinkedHashMap<>();
    }
    if (!node.isHeld() && !form.concurrent() && node.parent != null) {
      node.parent.children.remove(node.edge.get(0).local(), node);
    }
  }

  @Override
  public void clear(WorkerWithDpRank worker) {
    Map<Long, PeerNode> own = lookup.remove(worker);
    if (own != null) {
      for (PeerNode node : new LinkedHashSet<>(own.values())) {
        node.shrink(worker, 0);
        detach(node);
      }
    }
  }

  @Override
  public void clearWorker(long workerId) {
    for (WorkerWithDpRank rank : List.copyOf(lookup.keySet())) {
      if (rank.workerId() == workerId) {
        clear(rank);
      }
    }
  }

  @Override
  public SortedMap<WorkerWithDpRank, Integer> find(List<Long> locals) {
    SortedMap<WorkerWithDpRank, Integer> found = new TreeMap<>();
    Set<WorkerWithDpRank> active = Set.of();
    PeerNode node = root;
    int depth = 0;
    while (depth < locals.size()) {
      PeerNode child = node.children.get(locals.get(depth));
      if (child == null) {
        break;
      }
      int matched = child.matchLocals(locals.subList(depth, locals.size()));
      active = descend(active, node == root, child, depth, matched, found);
      depth += matched;
      for (WorkerWithDpRank worker : active) {
        found.put(worker, depth);
      }
      if (matched < child.edge.size() || active.isEmpty()) {
        break;
      }
      node = child;
    }
    return found;
  }

  /** Returns the ranks that go on and notes how far the others came. */
  private Set<WorkerWithDpRank> descend(
      Set<WorkerWithDpRank> active,
      boolean first,
      PeerNode child,
      int depth,
      int matched,
      SortedMap<WorkerWithDpRank, Integer> found) {
    if (first) {
      child.cut.forEach((worker, length) -> found.put(worker, Math.min(length, matched)));
      return new LinkedHashSet<>(child.full);
    }
    if (form.countsHolders() && active.size() == child.full.size()) {
      return active;
    }
    Set<WorkerWithDpRank> next = new LinkedHashSet<>();
    for (WorkerWithDpRank worker : active) {
      if (child.full.contains(worker)) {
        next.add(worker);
      } else {
        found.put(worker, depth + Math.min(child.cut.getOrDefault(worker, 0), matched));
      }
    }
    return next;
  }

  private static List<Long> locals(List<Block> blocks) {
    return blocks.stream().map(Block::local).toList();
  }
}
