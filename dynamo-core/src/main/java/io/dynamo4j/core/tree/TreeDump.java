// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

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
  private static final int NO_ADDRESS = -1;

  private final NodeArena nodes;
  private final BlockArena blocks;
  private final Consumer<RouterEvent> sink;
  private final HeldNodes held;
  private long nextEventId;

  // Addresses that are to be written with what hangs below them.
  private int[] open = new int[16];
  private int openCount;
  // The chain being written: nodes by place, and the positions from and to which it goes in each.
  private int[] chain = new int[3 * 16];
  private int chainLength;

  TreeDump(NodeArena nodes, BlockArena blocks, Consumer<RouterEvent> sink) {
    this.nodes = nodes;
    this.blocks = blocks;
    this.sink = sink;
    this.held = new HeldNodes(nodes, blocks);
  }

  /** Writes what a rank can reach. */
  void write(RankTable rank) {
    held.fill(rank);
    new OfRank(rank).writeReachable();
    held.clear();
  }

  /** Writes all that a rank holds. */
  void writeWhole(RankTable rank) {
    held.fill(rank);
    OfRank dump = new OfRank(rank);
    dump.writeReachable();
    dump.writeDetached();
    held.clear();
  }

  private int parentAddress(int address) {
    int node = blocks.owner(address);
    if (address > nodes.start(node)) {
      return address - 1;
    }
    int parent = nodes.parent(node);
    return parent == NodeArena.ROOT ? NO_ADDRESS : nodes.start(parent) + nodes.length(parent) - 1;
  }

  private void push(int address) {
    if (openCount == open.length) {
      open = Arrays.copyOf(open, openCount * 2);
    }
    open[openCount++] = address;
  }

  private void pushAll(int firstPlace) {
    for (int place = firstPlace; place >= 0; place = held.nextSibling(place)) {
      push(held.start(place));
    }
  }

  /** The dump of one rank. */
  private final class OfRank {
    private final RankTable rank;
    private long standIn;

    OfRank(RankTable rank) {
      this.rank = rank;
    }

    void writeReachable() {
      pushAll(held.firstAtRoot());
      writeOpen();
    }

    void writeDetached() {
      for (int place = 0; place < held.size(); place++) {
        long mask = held.mask(place);
        long tops = mask & ~(mask << 1);
        if ((mask & 1) != 0) {
          int parent = parentAddress(held.start(place));
          tops &= parent == NO_ADDRESS || held.holds(parent) ? ~1L : -1L;
        }
        for (long left = tops; left != 0; left &= left - 1) {
          push(held.start(place) + Long.numberOfTrailingZeros(left));
        }
      }
      writeOpen();
    }

    /** Writes what hangs together with the open blocks, and them first. */
    private void writeOpen() {
      while (openCount > 0) {
        int children = follow(open[--openCount]);
        writeRun();
        pushAll(children);
      }
    }

    /** Makes the chain from a block on the one to be written; returns the first of its branches. */
    private int follow(int first) {
      chainLength = 0;
      int place = held.placeOf(first);
      int from = first - held.start(place);
      while (true) {
        int to = from + Long.numberOfTrailingZeros(~(held.mask(place) >>> from));
        to = Math.min(to, held.length(place));
        addToChain(place, from, to);
        int children = to < held.length(place) ? HeldNodes.NOBODY : held.firstChild(place);
        if (children < 0 || held.nextSibling(children) >= 0) {
          return children;
        }
        place = children;
        from = 0;
      }
    }

    private void addToChain(int place, int from, int to) {
      if (chainLength == chain.length) {
        chain = Arrays.copyOf(chain, chainLength * 2);
      }
      chain[chainLength++] = place;
      chain[chainLength++] = from;
      chain[chainLength++] = to;
    }

    private void writeRun() {
      int count = 0;
      for (int i = 0; i < chainLength; i += 3) {
        count += chain[i + 2] - chain[i + 1];
      }
      long[] external = new long[count];
      long[] local = new long[count];
      int done = 0;
      for (int i = 0; i < chainLength; i += 3) {
        int length = chain[i + 2] - chain[i + 1];
        held.copy(chain[i], chain[i + 1], length, external, local, done);
        done += length;
      }
      int first = held.start(chain[0]) + chain[1];
      if (!writeBelowParent(first, external, local)) {
        writePath(addresses(count), external[count - 1]);
      }
      if (held.hasFurther()) {
        writeFurther(addresses(count));
      }
    }

    private int[] addresses(int count) {
      int[] addresses = new int[count];
      int done = 0;
      for (int i = 0; i < chainLength; i += 3) {
        for (int position = chain[i + 1]; position < chain[i + 2]; position++) {
          addresses[done++] = held.start(chain[i]) + position;
        }
      }
      return addresses;
    }

    /** Writes a store for each further hash of the blocks of a chain. */
    private void writeFurther(int[] run) {
      for (int address : run) {
        for (long hash : held.further(address)) {
          long[] external = {hash};
          if (!writeBelowParent(address, external, new long[] {blocks.hash(address)})) {
            writePath(new int[] {address}, hash);
          }
        }
      }
    }

    /** Writes a store unless its parent is not held, or has no hash that names its place alone. */
    private boolean writeBelowParent(int first, long[] external, long[] local) {
      int parent = parentAddress(first);
      if (parent == NO_ADDRESS) {
        writeStore(KvCacheEventData.Stored.atRoot(external, local));
        return true;
      }
      if (!held.holds(parent)) {
        return false;
      }
      long parentHash = held.hash(parent);
      if (rank.hasSeveralAddresses(parentHash) || contains(external, parentHash)) {
        return false;
      }
      writeStore(KvCacheEventData.Stored.under(parentHash, external, local));
      return true;
    }

    /** Writes a store of the whole path, the last block under the given hash. */
    private void writePath(int[] run, long lastHash) {
      int[] path = pathTo(run);
      long[] external = new long[path.length];
      long[] local = new long[path.length];
      long[] standIns = new long[path.length];
      int standInCount = 0;
      for (int i = 0; i < path.length; i++) {
        boolean isHeld = held.holds(path[i]);
        external[i] = isHeld ? held.hash(path[i]) : nextStandIn();
        local[i] = blocks.hash(path[i]);
        if (!isHeld) {
          standIns[standInCount++] = external[i];
        }
      }
      external[path.length - 1] = lastHash;
      writeStore(KvCacheEventData.Stored.atRoot(external, local));
      if (standInCount > 0) {
        writeStore(KvCacheEventData.Removed.of(Arrays.copyOf(standIns, standInCount)));
      }
    }

    /** Returns a hash that the rank does not use, for a block that it does not hold. */
    private long nextStandIn() {
      do {
        standIn++;
      } while (rank.latestAddress(standIn) >= 0);
      return standIn;
    }

    private void writeStore(KvCacheEventData data) {
      KvCacheEvent event = KvCacheEvent.of(nextEventId++, rank.worker.dpRank(), data);
      sink.accept(RouterEvent.of(rank.worker.workerId(), StorageTier.DEVICE, event));
    }
  }

  private int[] pathTo(int[] run) {
    int above = 0;
    for (int at = parentAddress(run[0]); at != NO_ADDRESS; at = parentAddress(at)) {
      above++;
    }
    int[] path = new int[above + run.length];
    System.arraycopy(run, 0, path, above, run.length);
    for (int at = parentAddress(run[0]); at != NO_ADDRESS; at = parentAddress(at)) {
      path[--above] = at;
    }
    return path;
  }

  private static boolean contains(long[] hashes, long hash) {
    for (long each : hashes) {
      if (each == hash) {
        return true;
      }
    }
    return false;
  }
}
