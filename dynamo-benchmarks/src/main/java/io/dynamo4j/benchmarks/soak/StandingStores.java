// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import java.util.Arrays;

/**
 * The stores of which something is left: for each block of a chain where the store that brought it
 * began, and when it came. Takes the same room from the start to the end.
 */
final class StandingStores {
  private final int length;
  private final int[] from;
  private final long[] time;

  /**
   * @param chains chains that there can be
   * @param length most blocks of one
   */
  StandingStores(int chains, int length) {
    this.length = length;
    this.from = new int[chains * length];
    this.time = new long[chains * length];
  }

  /** Notes a store of blocks; times are positive and grow. */
  void stored(int chain, int first, int end, long at) {
    Arrays.fill(from, chain * length + first, chain * length + end, first);
    Arrays.fill(time, chain * length + first, chain * length + end, at);
  }

  /** Notes that a chain has only its first blocks left. */
  void cutBack(int chain, int blocks) {
    Arrays.fill(time, chain * length + blocks, (chain + 1) * length, 0);
  }

  /** Visits what is left of each store, the oldest store first. */
  void forEach(StoreConsumer action) {
    int[] lasts = lastBlocks();
    long[] order = new long[lasts.length];
    for (int i = 0; i < lasts.length; i++) {
      order[i] = time[lasts[i]] << Integer.SIZE | lasts[i];
    }
    Arrays.sort(order);
    for (long each : order) {
      int last = (int) each;
      action.accept(last / length, from[last], last % length + 1);
    }
  }

  private int[] lastBlocks() {
    int[] lasts = new int[time.length];
    int count = 0;
    for (int i = 0; i < time.length; i++) {
      boolean isEnd = i % length + 1 == length || time[i + 1] != time[i];
      if (time[i] != 0 && isEnd) {
        lasts[count++] = i;
      }
    }
    return Arrays.copyOf(lasts, count);
  }

  /** Receives what is left of one store. */
  @FunctionalInterface
  interface StoreConsumer {
    void accept(int chain, int from, int to);
  }
}
