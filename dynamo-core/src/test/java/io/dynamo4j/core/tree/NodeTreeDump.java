// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes what ranks can reach as store events, a parent always before its children. */
final class NodeTreeDump {
  private final Consumer<RouterEvent> sink;
  private long nextEventId;

  NodeTreeDump(Consumer<RouterEvent> sink) {
    this.sink = sink;
  }

  void write(RankBlocks rank, TreeNode root) {
    new OfRank(rank).write(root);
  }

  /** The dump of one rank. */
  private final class OfRank {
    private final RankBlocks rank;
    // By node id: the hashes by which the rank holds it.
    private final LongObjectMap<long[]> hashesOfNode = LongObjectMap.create(0);

    OfRank(RankBlocks rank) {
      this.rank = rank;
      rank.forEachPair(
          (hash, node) -> {
            long[] before = hashesOfNode.get(node.id);
            long[] now = before == null ? new long[1] : Arrays.copyOf(before, before.length + 1);
            now[now.length - 1] = hash;
            hashesOfNode.put(node.id, now);
          });
    }

    void write(TreeNode root) {
      List<TreeNode> runStarts = heldChildren(root);
      while (!runStarts.isEmpty()) {
        TreeNode start = runStarts.remove(runStarts.size() - 1);
        List<TreeNode> run = new ArrayList<>();
        List<TreeNode> next = List.of(start);
        while (next.size() == 1) {
          run.add(next.get(0));
          next = heldChildren(next.get(0));
        }
        emit(run, 0);
        emitFurtherHashes(run);
        runStarts.addAll(next);
      }
    }

    private List<TreeNode> heldChildren(TreeNode node) {
      List<TreeNode> held = new ArrayList<>();
      node.forEachChild(
          child -> {
            if (child.isHeldBy(rank.slot)) {
              held.add(child);
            }
          });
      return held;
    }

    private void emitFurtherHashes(List<TreeNode> run) {
      for (TreeNode node : run) {
        for (int i = 1; i < hashes(node).length; i++) {
          emit(List.of(node), i);
        }
      }
    }

    /** Emits one store of a chain, its last block under the given one of its hashes. */
    private void emit(List<TreeNode> run, int hashIndex) {
      List<TreeNode> chain = run;
      long[] blocks = firstHashes(chain);
      blocks[blocks.length - 1] = hashes(chain.get(chain.size() - 1))[hashIndex];
      @Nullable TreeNode parent = chain.get(0).parent;
      if (parent == null || parent.parent == null) {
        emitStore(KvCacheEventData.Stored.atRoot(blocks, localHashes(chain)));
        return;
      }
      long parentHash = hashes(parent)[0];
      if (!rank.hasSeveralPlaces(parentHash) && !contains(blocks, parentHash)) {
        emitStore(KvCacheEventData.Stored.under(parentHash, blocks, localHashes(chain)));
        return;
      }
      // The parent's hash does not name this place alone: say the whole path.
      chain = pathTo(chain);
      long last = blocks[blocks.length - 1];
      blocks = firstHashes(chain);
      blocks[blocks.length - 1] = last;
      emitStore(KvCacheEventData.Stored.atRoot(blocks, localHashes(chain)));
    }

    private void emitStore(KvCacheEventData.Stored stored) {
      KvCacheEvent event = KvCacheEvent.of(nextEventId++, rank.worker.dpRank(), stored);
      sink.accept(RouterEvent.of(rank.worker.workerId(), StorageTier.DEVICE, event));
    }

    private long[] hashes(TreeNode node) {
      long[] hashes = hashesOfNode.get(node.id);
      if (hashes == null) {
        throw new IllegalStateException("node is not held: node=" + node.id);
      }
      return hashes;
    }

    private long[] firstHashes(List<TreeNode> chain) {
      return chain.stream().mapToLong(node -> hashes(node)[0]).toArray();
    }
  }

  private static List<TreeNode> pathTo(List<TreeNode> run) {
    List<TreeNode> reversed = new ArrayList<>();
    TreeNode node = run.get(0).parent;
    while (node != null && node.parent != null) {
      reversed.add(node);
      node = node.parent;
    }
    Collections.reverse(reversed);
    reversed.addAll(run);
    return reversed;
  }

  private static long[] localHashes(List<TreeNode> chain) {
    return chain.stream().mapToLong(node -> node.localHash).toArray();
  }

  private static boolean contains(long[] hashes, long hash) {
    return Arrays.stream(hashes).anyMatch(each -> each == hash);
  }
}
