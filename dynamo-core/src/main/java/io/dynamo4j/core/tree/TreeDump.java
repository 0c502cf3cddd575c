// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Writes what ranks can reach as store events, a parent always before its children. A rank that is
 * not branching in the tree is one event a chain, however many nodes that is.
 *
 * <p>What hangs behind a gap is written, if wanted, as a store of the whole path and a removal of
 * the blocks that are not held.
 */
final class TreeDump {
  private static final int[] NONE = {};
  private static final int NO_ADDRESS = -1;

  private final NodeArena nodes;
  private final BlockArena blocks;
  private final Consumer<RouterEvent> sink;
  private long nextEventId;

  TreeDump(NodeArena nodes, BlockArena blocks, Consumer<RouterEvent> sink) {
    this.nodes = nodes;
    this.blocks = blocks;
    this.sink = sink;
  }

  /** Writes what a rank can reach. */
  void write(RankTable rank) {
    new OfRank(rank).writeReachable();
  }

  /** Writes all that a rank holds. */
  void writeWhole(RankTable rank) {
    OfRank dump = new OfRank(rank);
    dump.writeReachable();
    dump.writeDetached();
  }

  private int parentAddress(int address) {
    int node = blocks.owner(address);
    if (address > nodes.start(node)) {
      return address - 1;
    }
    int parent = nodes.parent(node);
    return parent == NodeArena.ROOT ? NO_ADDRESS : nodes.start(parent) + nodes.length(parent) - 1;
  }

  /** The dump of one rank. */
  private final class OfRank {
    private final RankTable rank;
    private final LongObjectMap<long[]> hashesOfAddress = LongObjectMap.create(0);
    // Held first blocks of the children of a node.
    private final LongObjectMap<int[]> childrenOfNode = LongObjectMap.create(0);
    private long standIn;

    OfRank(RankTable rank) {
      this.rank = rank;
      rank.forEachPair(this::note);
    }

    private void note(long hash, int address) {
      long[] known = hashesOfAddress.get(address);
      int count = known == null ? 0 : known.length;
      long[] hashes = known == null ? new long[1] : Arrays.copyOf(known, count + 1);
      hashes[count] = hash;
      hashesOfAddress.put(address, hashes);
      int node = blocks.owner(address);
      if (count == 0 && address == nodes.start(node)) {
        int parent = nodes.parent(node);
        childrenOfNode.put(parent, plus(childrenOf(parent), address));
      }
    }

    private int[] childrenOf(int node) {
      int[] children = childrenOfNode.get(node);
      return children == null ? NONE : children;
    }

    void writeReachable() {
      writeBelow(childrenOf(NodeArena.ROOT).clone());
    }

    void writeDetached() {
      int[] tops = new int[hashesOfAddress.size()];
      int[] count = {0};
      hashesOfAddress.forEach(
          (address, hashes) -> {
            int parent = parentAddress((int) address);
            if (parent != NO_ADDRESS && hashesOfAddress.get(parent) == null) {
              tops[count[0]++] = (int) address;
            }
          });
      writeBelow(Arrays.copyOf(tops, count[0]));
    }

    /** Writes what hangs together with these blocks, and them first. */
    private void writeBelow(int[] first) {
      int[] open = first;
      int openCount = open.length;
      while (openCount > 0) {
        int[] run = {open[--openCount]};
        int length = 1;
        int[] next = next(run[0]);
        while (next.length == 1) {
          run = length == run.length ? Arrays.copyOf(run, length * 2) : run;
          run[length++] = next[0];
          next = next(next[0]);
        }
        writeRun(Arrays.copyOf(run, length));
        if (openCount + next.length > open.length) {
          open = Arrays.copyOf(open, (openCount + next.length) * 2);
        }
        System.arraycopy(next, 0, open, openCount, next.length);
        openCount += next.length;
      }
    }

    /** Returns the held blocks right below a block. */
    private int[] next(int address) {
      int node = blocks.owner(address);
      if (address + 1 == nodes.start(node) + nodes.length(node)) {
        return childrenOf(node);
      }
      return hashesOfAddress.get(address + 1) == null ? NONE : new int[] {address + 1};
    }

    private void writeRun(int[] run) {
      writeChain(run, hashes(run[run.length - 1])[0]);
      for (int address : run) {
        long[] hashes = hashes(address);
        for (int i = 1; i < hashes.length; i++) {
          writeChain(new int[] {address}, hashes[i]);
        }
      }
    }

    /** Writes one store, each block under its first hash, the last one under the given. */
    private void writeChain(int[] chain, long lastHash) {
      int parent = parentAddress(chain[0]);
      if (parent != NO_ADDRESS && hashesOfAddress.get(parent) != null) {
        long parentHash = hashes(parent)[0];
        long[] external = externalHashes(chain, lastHash);
        if (!rank.hasSeveralAddresses(parentHash) && !contains(external, parentHash)) {
          writeStore(KvCacheEventData.Stored.under(parentHash, external, localHashes(chain)));
          return;
        }
      }
      // No parent is held, or its hash does not name its place alone: say the whole path.
      int[] path = pathTo(chain);
      long[] external = externalHashes(path, lastHash);
      writeStore(KvCacheEventData.Stored.atRoot(external, localHashes(path)));
      long[] standIns = standIns(path, external);
      if (standIns.length > 0) {
        writeStore(KvCacheEventData.Removed.of(standIns));
      }
    }

    private void writeStore(KvCacheEventData data) {
      KvCacheEvent event = KvCacheEvent.of(nextEventId++, rank.worker.dpRank(), data);
      sink.accept(RouterEvent.of(rank.worker.workerId(), StorageTier.DEVICE, event));
    }

    private long[] hashes(int address) {
      long[] hashes = hashesOfAddress.get(address);
      if (hashes == null) {
        throw new IllegalStateException("block is not held: address=" + address);
      }
      return hashes;
    }

    private long[] externalHashes(int[] chain, long lastHash) {
      long[] external = new long[chain.length];
      for (int i = 0; i < external.length; i++) {
        long[] held = hashesOfAddress.get(chain[i]);
        external[i] = held == null ? nextStandIn() : held[0];
      }
      external[external.length - 1] = lastHash;
      return external;
    }

    /** Returns a hash that the rank does not use, for a block that it does not hold. */
    private long nextStandIn() {
      do {
        standIn++;
      } while (rank.latestAddress(standIn) >= 0);
      return standIn;
    }

    private long[] standIns(int[] path, long[] external) {
      int count = 0;
      long[] found = new long[path.length];
      for (int i = 0; i < path.length; i++) {
        if (hashesOfAddress.get(path[i]) == null) {
          found[count++] = external[i];
        }
      }
      return Arrays.copyOf(found, count);
    }
  }

  private int[] pathTo(int[] chain) {
    int above = 0;
    for (int at = parentAddress(chain[0]); at != NO_ADDRESS; at = parentAddress(at)) {
      above++;
    }
    int[] path = new int[above + chain.length];
    System.arraycopy(chain, 0, path, above, chain.length);
    for (int at = parentAddress(chain[0]); at != NO_ADDRESS; at = parentAddress(at)) {
      path[--above] = at;
    }
    return path;
  }

  private long[] localHashes(int[] chain) {
    long[] local = new long[chain.length];
    for (int i = 0; i < local.length; i++) {
      local[i] = blocks.hash(chain[i]);
    }
    return local;
  }

  private static int[] plus(int[] array, int value) {
    int[] longer = Arrays.copyOf(array, array.length + 1);
    longer[array.length] = value;
    return longer;
  }

  private static boolean contains(long[] hashes, long hash) {
    return Arrays.stream(hashes).anyMatch(each -> each == hash);
  }
}
