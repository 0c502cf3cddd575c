// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.indexer.KvIndexer;

/** Workers that come and go, each with a few beginnings of prompts that all of them share. */
final class ChurningFleet {
  private static final int PROMPTS = 20_000;
  private static final int PROMPT_BLOCKS = 40;
  private static final int CHAINS = 8;
  private static final int MAX_STEP = 8;

  /** The last of a worker's chains lies in host memory. */
  private static final int HOST_CHAIN = CHAINS - 1;

  private final RandomSource random;
  private final long[] ids;
  private final boolean[] isAlive;
  private final int[][] prompts;
  private final int[][] lengths;
  private final StandingStores standing;
  private long nextId = 1;
  private long eventId;
  private long joins;
  private long departures;

  ChurningFleet(RandomSource random, int workers) {
    this.random = random;
    this.ids = new long[workers];
    this.isAlive = new boolean[workers];
    this.prompts = new int[workers][CHAINS];
    this.lengths = new int[workers][CHAINS];
    this.standing = new StandingStores(workers * CHAINS, PROMPT_BLOCKS);
    for (int slot = 0; slot < workers; slot++) {
      ids[slot] = nextId++;
      isAlive[slot] = slot % 2 == 0;
    }
  }

  long joins() {
    return joins;
  }

  long departures() {
    return departures;
  }

  long alive() {
    long alive = 0;
    for (boolean each : isAlive) {
      alive += each ? 1 : 0;
    }
    return alive;
  }

  /** One worker joins or leaves. */
  void move(KvIndexer index) {
    int slot = random.nextInt(ids.length);
    if (isAlive[slot]) {
      index.removeWorker(ids[slot]);
      departures++;
      forget(slot);
      isAlive[slot] = alive() == 1;
      return;
    }
    if (random.nextInt(2) == 0) {
      ids[slot] = nextId++;
    }
    isAlive[slot] = true;
    joins++;
  }

  private void forget(int slot) {
    for (int chain = 0; chain < CHAINS; chain++) {
      lengths[slot][chain] = 0;
      standing.cutBack(slot * CHAINS + chain, 0);
    }
  }

  /** One worker stores more of a prompt, or removes the end of one. */
  void speak(KvIndexer index) {
    int slot = random.nextInt(ids.length);
    while (!isAlive[slot]) {
      slot = slot + 1 == ids.length ? 0 : slot + 1;
    }
    int chain = random.nextInt(CHAINS);
    int length = lengths[slot][chain];
    int step = 1 + random.nextInt(MAX_STEP);
    if (length == 0) {
      prompts[slot][chain] = unheld(slot);
    }
    boolean isStore = length == 0 || (length + step <= PROMPT_BLOCKS && random.nextInt(5) < 3);
    int next = isStore ? length + step : Math.max(0, length - step);
    KvCacheEventData data =
        isStore
            ? stored(prompts[slot][chain], length, next)
            : KvCacheEventData.Removed.of(blocks(prompts[slot][chain], next, length));
    lengths[slot][chain] = next;
    submit(index, slot, chain, data);
    if (isStore) {
      standing.stored(slot * CHAINS + chain, length, next, eventId);
    } else {
      standing.cutBack(slot * CHAINS + chain, next);
    }
  }

  /** Returns a prompt of which the worker has nothing yet. */
  private int unheld(int slot) {
    while (true) {
      // Few prompts are common, most are rare.
      int prompt = random.nextInt(1 + random.nextInt(PROMPTS));
      boolean isHeld = false;
      for (int chain = 0; chain < CHAINS; chain++) {
        isHeld |= lengths[slot][chain] > 0 && prompts[slot][chain] == prompt;
      }
      if (!isHeld) {
        return prompt;
      }
    }
  }

  /** Tells an index all that living workers hold, each chain at once. */
  void tellAll(KvIndexer index) {
    for (int slot = 0; slot < ids.length; slot++) {
      for (int chain = 0; chain < CHAINS; chain++) {
        if (isAlive[slot] && lengths[slot][chain] > 0) {
          submit(index, slot, chain, stored(prompts[slot][chain], 0, lengths[slot][chain]));
        }
      }
    }
  }

  /**
   * Tells an index the same by the stores of which something is left, in the order and the steps in
   * which they came.
   */
  void tellStandingStores(KvIndexer index) {
    standing.forEach(
        (number, from, to) -> {
          int slot = number / CHAINS;
          int chain = number % CHAINS;
          submit(index, slot, chain, stored(prompts[slot][chain], from, to));
        });
  }

  /** Returns the local hashes of a prompt. */
  long[] prompt(int number) {
    return blocks(number % PROMPTS, 0, PROMPT_BLOCKS);
  }

  private void submit(KvIndexer index, int slot, int chain, KvCacheEventData data) {
    StorageTier tier = chain == HOST_CHAIN ? StorageTier.HOST_PINNED : StorageTier.DEVICE;
    index.submit(RouterEvent.of(ids[slot], tier, KvCacheEvent.of(++eventId, 0, data)));
  }

  private static KvCacheEventData stored(int prompt, int from, int to) {
    long[] blocks = blocks(prompt, from, to);
    return from == 0
        ? KvCacheEventData.Stored.atRoot(blocks, blocks)
        : KvCacheEventData.Stored.under(blocks(prompt, from - 1, from)[0], blocks, blocks);
  }

  private static long[] blocks(int prompt, int from, int to) {
    long[] blocks = new long[to - from];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = mixed((long) prompt << 8 | (from + i));
    }
    return blocks;
  }

  private static long mixed(long x) {
    long z = (x + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    return z ^ z >>> 31;
  }
}
