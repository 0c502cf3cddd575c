// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever holds an edge is a bit, a number or one of a crowd: as ranks come and go, all three. */
class ManyRanksTest {
  private static final int PROMPTS = 40;
  private static final int BLOCKS = 12;
  private static final int STEPS = 6_000;
  private static final int CHECKED = 500;

  /** Prompts of which each is asked for after some steps. */
  private static final int ASKED = 4;

  private final OverlapScores out = OverlapScores.create();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 8})
  void shouldScoreEachRankByWhatItHoldsHoweverThatIsWritten(int mostNumbers) {
    // Bits of one long up to 64 ranks, then numbers.
    play(HolderForm.of(1, mostNumbers), 200, mostNumbers);
  }

  @ParameterizedTest
  @ValueSource(ints = {7, 8})
  void shouldScoreEachRankBeyondAThousandOfThem(int seed) {
    play(HolderForm.STANDARD, 1_300, seed);
  }

  private void play(HolderForm form, int workers, long seed) {
    RandomSource random = RandomSource.seeded(seed);
    RadixTree tree = HolderForms.treeOf(seed, form);
    int[][] held = new int[workers][PROMPTS];
    for (int step = 0; step < STEPS + workers; step++) {
      // At first each worker once, so that all have a slot.
      int worker = step < workers ? step : random.nextInt(workers);
      if (step >= workers && random.nextInt(20) == 0) {
        tree.removeWorker(worker);
        held[worker] = new int[PROMPTS];
      } else {
        int prompt = random.nextInt(1 + random.nextInt(PROMPTS));
        int length = random.nextInt(BLOCKS + 1);
        tree.apply(event(worker, change(prompt, held[worker][prompt], length)));
        held[worker][prompt] = length;
      }
      if (step % CHECKED == 0) {
        tree.checkInvariants();
      }
      if (step % ASKED == 0) {
        requireExact(tree, held, random.nextInt(PROMPTS));
      }
    }
    for (int worker = 0; worker < workers; worker++) {
      tree.removeWorker(worker);
    }
    assertThat(tree.nodeCount()).isZero();
    tree.checkInvariants();
  }

  private void requireExact(RadixTree tree, int[][] held, int prompt) {
    long[] query = blocks(prompt, 0, BLOCKS);
    tree.findMatches(query, BLOCKS, out);
    int ranks = 0;
    for (int[] each : held) {
      ranks += each[prompt] > 0 ? 1 : 0;
    }
    assertThat(out.size()).isEqualTo(ranks);
    for (int i = 0; i < out.size(); i++) {
      WorkerWithDpRank worker = out.worker(i);
      assertThat(out.depth(i)).isEqualTo(held[(int) worker.workerId()][prompt]);
    }
  }

  private static KvCacheEventData change(int prompt, int from, int to) {
    if (to < from) {
      return KvCacheEventData.Removed.of(blocks(prompt, to, from));
    }
    long[] blocks = blocks(prompt, 0, to);
    return KvCacheEventData.Stored.atRoot(blocks, blocks);
  }

  private static long[] blocks(int prompt, int from, int to) {
    return LongStream.range(from, to).map(i -> (prompt + 1L) << 8 | i).toArray();
  }

  private static RouterEvent event(long worker, KvCacheEventData data) {
    return RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(0, 0, data));
  }
}
