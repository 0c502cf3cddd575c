// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Shared chains that grow and shrink a few blocks at a time: nodes follow what is held. */
class RadixTreePiecesTest {
  private static final int WORKERS = 50;
  private static final int PROMPTS = 100;
  private static final int MAX_BLOCKS = 40;
  private static final int MAX_STEP = 8;
  private static final int EARLY_EVENTS = 100_000;
  private static final int LATE_EVENTS = 200_000;

  private final RandomSource random = RandomSource.seeded(11);
  private final RadixTree tree = RadixTree.create(3);
  private final int[][] lengths = new int[WORKERS][PROMPTS];

  @Test
  void shouldKeepNoMoreNodesABlockHoweverLongChainsComeAndGo() {
    churn(EARLY_EVENTS);
    double early = nodesABlock(tree);
    churn(LATE_EVENTS);

    assertThat(nodesABlock(tree)).isLessThan(1.2 * early);
    tree.checkInvariants();
  }

  @Test
  void shouldTakeFewerNodesWhenLoadedFromItsDump() {
    churn(EARLY_EVENTS);
    RadixTree loaded = RadixTree.create(3);
    tree.dump(loaded::apply);

    assertThat(loaded.blockCount()).isEqualTo(tree.blockCount());
    assertThat(nodesABlock(loaded)).isLessThan(nodesABlock(tree));
  }

  /** A hint, right or wrong, changes nothing but time. */
  @Test
  void shouldHoldTheSameWhateverWasExpected() {
    churn(EARLY_EVENTS / 10);
    RadixTree told = RadixTree.create(3);
    RadixTree untold = RadixTree.create(3);
    for (int worker = 0; worker < WORKERS; worker += 2) {
      told.expect(WorkerWithDpRank.of(worker), worker * 100L);
    }
    tree.dump(
        event -> {
          told.expect(event.worker(), event.workerId() % 3 == 0 ? 10_000 : -1);
          told.apply(event);
          untold.apply(event);
        });
    told.checkInvariants();
    assertThat(told.blockCount()).isEqualTo(tree.blockCount());
    List<RouterEvent> ofTold = new ArrayList<>();
    List<RouterEvent> ofUntold = new ArrayList<>();
    told.dump(ofTold::add);
    untold.dump(ofUntold::add);
    assertThat(ofTold).hasSameSizeAs(ofUntold);
  }

  private static double nodesABlock(RadixTree tree) {
    return (double) tree.nodeCount() / tree.blockCount();
  }

  private void churn(int events) {
    for (int event = 0; event < events; event++) {
      int worker = random.nextInt(WORKERS);
      if (random.nextInt(1_000) == 0) {
        tree.removeWorker(worker);
        lengths[worker] = new int[PROMPTS];
      } else {
        tree.apply(
            RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(event, 0, step(worker))));
      }
    }
  }

  private KvCacheEventData step(int worker) {
    // Few prompts are common, most are rare.
    int prompt = random.nextInt(1 + random.nextInt(PROMPTS));
    int length = lengths[worker][prompt];
    int step = 1 + random.nextInt(MAX_STEP);
    boolean isStore = length == 0 || (length + step <= MAX_BLOCKS && random.nextInt(5) < 3);
    int next = isStore ? length + step : Math.max(0, length - step);
    lengths[worker][prompt] = next;
    if (!isStore) {
      return KvCacheEventData.Removed.of(blocks(prompt, next, length));
    }
    long[] blocks = blocks(prompt, length, next);
    return length == 0
        ? KvCacheEventData.Stored.atRoot(blocks, blocks)
        : KvCacheEventData.Stored.under(blocks(prompt, length - 1, length)[0], blocks, blocks);
  }

  private static long[] blocks(int prompt, int from, int to) {
    return LongStream.range(from, to).map(i -> (long) prompt << 8 | i).toArray();
  }
}
