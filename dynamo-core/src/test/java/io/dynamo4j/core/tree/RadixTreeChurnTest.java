// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static io.dynamo4j.core.testing.IndexComparison.scores;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Long chains, many ranks, caches that evict anywhere: sizes that the plain reference cannot reach,
 * against the tree of one node a place.
 */
class RadixTreeChurnTest {
  private static final int STEPS = 1_500;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void shouldAgreeWithTheNodeTreeUnderChurn(long seed) {
    RandomSource random = RandomSource.seeded(seed);
    boolean ownHashes = seed % 2 == 0;
    int workers = seed % 3 == 0 ? 150 : 8;
    RadixTree tree = RadixTree.create(seed);
    NodeTree oracle = NodeTree.create(seed);
    List<List<Long>> held = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      held.add(new ArrayList<>());
    }
    for (int step = 0; step < STEPS; step++) {
      int worker = random.nextInt(workers);
      List<Long> cache = held.get(worker);
      int kind = random.nextInt(100);
      KvCacheEventData data;
      if (kind < 60) {
        long[] local = prompt(random);
        data = store(local, ownHashes ? worker : 0, random.nextInt(local.length));
        for (long hash : ((KvCacheEventData.Stored) data).blockHashes()) {
          cache.add(hash);
        }
      } else if (kind < 97) {
        long[] evicted = new long[Math.min(cache.size(), random.nextInt(60))];
        boolean fromTheEnd = random.nextInt(2) == 0;
        for (int i = 0; i < evicted.length; i++) {
          evicted[i] = cache.remove(fromTheEnd ? cache.size() - 1 : random.nextInt(cache.size()));
        }
        data = KvCacheEventData.Removed.of(evicted);
      } else {
        data = KvCacheEventData.Cleared.instance();
        cache.clear();
      }
      apply(tree, oracle, worker, data);
      if (step % 50 == 49) {
        tree.checkInvariants();
      }
      long[] query = prompt(random);
      assertThat(scores(tree, query))
          .as("seed=%d, step=%d", seed, step)
          .isEqualTo(scores(oracle, query));
    }
    for (int worker = 0; worker < workers; worker++) {
      tree.removeWorker(worker);
    }
    tree.checkInvariants();
    assertThat(tree.blockCount()).isZero();
    assertThat(tree.nodeCount()).isZero();
  }

  /** A walk in a forest of few branches: half of it runs along one trunk. */
  private static long[] prompt(RandomSource random) {
    long[] local = new long[1 + random.nextInt(random.nextInt(2) == 0 ? 300 : 20)];
    int trunk = random.nextInt(local.length + 1);
    long branch = random.nextInt(4);
    for (int i = 0; i < local.length; i++) {
      local[i] = i < trunk ? i : 1_000 * branch + i;
    }
    return local;
  }

  /** Stores a prompt, from its beginning or below the block where another store would end. */
  private static KvCacheEventData store(long[] local, long salt, int cut) {
    long[] external = new long[local.length];
    long previous = salt * 7_919;
    for (int i = 0; i < local.length; i++) {
      previous = (previous ^ local[i]) * 0x9e3779b97f4a7c15L + 1;
      external[i] = previous;
    }
    int from = cut % 3 == 0 ? cut : 0;
    long[] blocks = Arrays.copyOfRange(external, from, external.length);
    long[] locals = Arrays.copyOfRange(local, from, local.length);
    return from == 0
        ? KvCacheEventData.Stored.atRoot(blocks, locals)
        : KvCacheEventData.Stored.under(external[from - 1], blocks, locals);
  }

  private static void apply(RadixTree tree, NodeTree oracle, int worker, KvCacheEventData data) {
    WorkerWithDpRank rank = new WorkerWithDpRank(worker, 0);
    RouterEvent event =
        RouterEvent.of(rank.workerId(), StorageTier.DEVICE, KvCacheEvent.of(0, 0, data));
    tree.fetch(event); // As an indexer does; changes nothing.
    assertThat(tree.apply(event).toString()).isEqualTo(oracle.apply(event).toString());
    assertThat(tree.blockCount()).isEqualTo(oracle.blockCount());
  }
}
