// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.RandomSource;
import java.lang.management.ManagementFactory;

/**
 * Churns a tree until nothing is left and prints how many bytes it keeps beyond a tree that has
 * seen as many ranks and nothing else. A process of its own: the heap holds nothing but the two.
 */
final class ChurnMain {
  private static final int WORKERS = 200;
  private static final int HELD = 1 << 14;
  private static final int COLLECTIONS = 4;

  private final RandomSource random;
  private final RadixTree tree = RadixTree.create(3);
  // Hashes that a worker may hold, the older overwritten by the newer.
  private final long[][] held = new long[WORKERS][HELD / WORKERS];
  private final int[] stored = new int[WORKERS];
  private long operations;
  private int mostNodes;

  private ChurnMain(long seed) {
    random = RandomSource.seeded(seed);
  }

  /**
   * Prints one line {@code kept=BYTES, operations=N, mostNodes=N}.
   *
   * @param args operations, a block stored or removed being one and a worker gone another; a seed
   */
  public static void main(String[] args) {
    long most = Long.parseLong(args[0]);
    // Classes and tables of the JVM, those of measuring included.
    new ChurnMain(0).run(most / 100);
    liveHeap();
    long before = liveHeap();
    RadixTree fresh = RadixTree.create(3);
    seeAllRanks(fresh);
    long ofFresh = liveHeap() - before;
    before = liveHeap();
    ChurnMain churn = new ChurnMain(Long.parseLong(args[1]));
    churn.run(most);
    for (int worker = 0; worker < WORKERS; worker++) {
      churn.held[worker] = new long[0];
    }
    long ofChurned = liveHeap() - before;
    churn.tree.checkInvariants();
    if (churn.tree.nodeCount() != 0 || fresh.nodeCount() != 0) {
      throw new IllegalStateException("nodes are left: count=" + churn.tree.nodeCount());
    }
    System.out.println(
        "kept="
            + (ofChurned - ofFresh)
            + ", operations="
            + churn.operations
            + ", mostNodes="
            + churn.mostNodes);
  }

  private static void seeAllRanks(RadixTree tree) {
    for (int worker = 0; worker < WORKERS; worker++) {
      tree.apply(event(worker, KvCacheEventData.Stored.atRoot(new long[] {1}, new long[] {1})));
    }
    for (int worker = 0; worker < WORKERS; worker++) {
      tree.removeWorker(worker);
    }
  }

  private void run(long most) {
    seeAllRanks(tree);
    while (operations < most) {
      step();
      mostNodes = Math.max(mostNodes, (int) tree.nodeCount());
    }
    for (int worker = 0; worker < WORKERS; worker++) {
      tree.removeWorker(worker);
    }
  }

  private void step() {
    int worker = random.nextInt(WORKERS);
    int kind = random.nextInt(1_000);
    if (kind == 0) {
      tree.removeWorker(worker);
      operations++;
    } else if (kind < 500) {
      store(worker);
    } else {
      remove(worker);
    }
  }

  private void store(int worker) {
    long[] local = new long[1 + random.nextInt(60)];
    long[] external = new long[local.length];
    int branch = random.nextInt(local.length);
    long previous = worker % 3; // some agree on hashes, some do not
    for (int i = 0; i < local.length; i++) {
      local[i] = i < branch ? i : random.nextLong();
      previous = (previous ^ local[i]) * 0x9e3779b97f4a7c15L + 1;
      external[i] = previous;
      held[worker][stored[worker]++ % held[worker].length] = previous;
    }
    tree.apply(event(worker, KvCacheEventData.Stored.atRoot(external, local)));
    operations += local.length;
  }

  private void remove(int worker) {
    long[] hashes = new long[1 + random.nextInt(60)];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = held[worker][random.nextInt(held[worker].length)];
    }
    tree.apply(event(worker, KvCacheEventData.Removed.of(hashes)));
    operations += hashes.length;
  }

  private static RouterEvent event(long worker, KvCacheEventData data) {
    return RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(0, 0, data));
  }

  private static long liveHeap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
