// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import org.jspecify.annotations.Nullable;

/**
 * The prompts of all bookings as one tree of runs of blocks, and from that the longest active
 * prefix on every rank at once.
 *
 * <p><b>Layout.</b> A booking's prompt is a path from the root; {@link PrefixRun} is a part of
 * paths between two places where one branches or ends, and counts by rank who goes through it. A
 * run is found from its parent by its first hash ({@link PrefixRunTable}), the others are compared
 * one after the other.
 *
 * <p><b>Invariants.</b> A booking's last block is the last of a run, which lists it. Every run but
 * the root counts exactly the bookings that end in it or below. A run reads its hashes from the
 * array of one of these, so that no array outlives its booking here. A run has more than one child
 * or an end, or weighs otherwise than its only child: there are at most two runs a booking, beside
 * those that fading weights keep apart until the booking's next block.
 *
 * <p><b>Threads.</b> Not thread-safe. <b>Cost.</b> O(runs on the path · ranks / 64), beside one
 * comparison of the hashes that are shared; allocates where the tree is larger than it ever was.
 */
final class ActivePrefixes {
  private static final int MAX_SPARE = 1_024;

  private final PrefixRunTable table;
  private final PrefixRun root = new PrefixRun();
  private @Nullable PrefixRun spare;
  private int spareCount;

  ActivePrefixes(long seed) {
    this.table = new PrefixRunTable(seed);
  }

  /** Returns the number of runs. */
  int runCount() {
    return table.size();
  }

  /** Returns what no prompt's block comes before. */
  PrefixRun root() {
    return root;
  }

  @Nullable PrefixRun find(PrefixRun parent, long firstHash) {
    return table.find(parent, firstHash);
  }

  /** Takes in a booking with at least one block. */
  void add(TrackedBooking tracked) {
    long[] hashes = tracked.booking.sequenceHashes();
    int count = tracked.booking.blockCount();
    PrefixRun at = root;
    for (int depth = 0; depth < count; depth = at.to) {
      PrefixRun next = table.find(at, hashes[depth]);
      if (next == null) {
        next = open(at, hashes, depth, count);
      } else {
        int matched = next.matchedTo(hashes, count);
        next = matched < next.to ? split(next, matched) : next;
      }
      if (next.ranks.increment(tracked.rank.index)) {
        tracked.rank.promptBlocks += next.length();
      }
      at = next;
    }
    at.addEnd(tracked);
  }

  /** Takes out a booking, from its last run up. */
  void remove(TrackedBooking tracked) {
    PrefixRun run = tracked.run;
    if (run == null) {
      return;
    }
    run.removeEnd(tracked);
    while (run != null && run != root) {
      PrefixRun parent = run.parent;
      release(run, tracked.rank);
      if (run.ranks.isEmpty()) {
        close(run);
      } else {
        if (run.hashes == tracked.booking.sequenceHashes()) {
          run.hashes = run.livingHashes();
        }
        joinWithChild(run);
      }
      run = parent;
    }
  }

  private static void release(PrefixRun run, TrackedRank rank) {
    double weight = run.ranks.weight(rank.index);
    if (run.ranks.decrement(rank.index)) {
      rank.weigh(run.length(), weight, 1);
      rank.promptBlocks -= run.length();
    }
  }

  /** Sets the weight of the blocks at a booking's end that no other booking of its rank holds. */
  void weigh(TrackedBooking tracked, double weight) {
    TrackedRank rank = tracked.rank;
    PrefixRun run = tracked.run;
    while (run != null && run != root && run.ranks.count(rank.index) == 1) {
      rank.weigh(run.length(), run.ranks.weight(rank.index), weight);
      run.ranks.setWeight(rank.index, weight);
      PrefixRun parent = run.parent;
      joinWithChild(run);
      run = parent;
    }
  }

  /**
   * Finds how many leading hashes each rank holds.
   *
   * @param depths receives the result by rank; entries of ranks that hold nothing stay
   */
  void matchDepths(long[] hashes, int count, int[] depths) {
    PrefixRun at = root;
    int depth = 0;
    while (depth == at.to && depth < count) {
      PrefixRun next = table.find(at, hashes[depth]);
      if (next == null) {
        break;
      }
      at.ranks.spreadDepth(depth, next.ranks, depths);
      depth = next.matchedTo(hashes, count);
      at = next;
    }
    at.ranks.spreadDepth(depth, null, depths);
  }

  private PrefixRun open(PrefixRun parent, long[] hashes, int from, int to) {
    PrefixRun run = take();
    run.hashes = hashes;
    run.from = from;
    run.to = to;
    parent.addChild(run);
    table.add(run);
    return run;
  }

  /** Makes of one run two; returns the upper one, the lower one stays who it was. */
  private PrefixRun split(PrefixRun run, int at) {
    PrefixRun parent = parentOf(run);
    table.remove(run);
    parent.removeChild(run);
    PrefixRun upper = open(parent, run.hashes, run.from, at);
    upper.ranks.copyFrom(run.ranks);
    run.from = at;
    upper.addChild(run);
    table.add(run);
    return upper;
  }

  /** Makes of two runs one, if only the child goes on from here; the lower one stays who it was. */
  private void joinWithChild(PrefixRun run) {
    PrefixRun child = run.firstChild;
    if (child == null || !run.isOneWithItsChild()) {
      return;
    }
    PrefixRun parent = parentOf(run);
    table.remove(child);
    run.removeChild(child);
    child.from = run.from;
    close(run);
    parent.addChild(child);
    table.add(child);
  }

  private void close(PrefixRun run) {
    table.remove(run);
    parentOf(run).removeChild(run);
    run.clear();
    if (spareCount < MAX_SPARE) {
      run.nextInBucket = spare;
      spare = run;
      spareCount++;
    }
  }

  private PrefixRun take() {
    PrefixRun run = spare;
    if (run == null) {
      return new PrefixRun();
    }
    spare = run.nextInBucket;
    run.nextInBucket = null;
    spareCount--;
    return run;
  }

  private PrefixRun parentOf(PrefixRun run) {
    return run.parent == null ? root : run.parent;
  }
}
