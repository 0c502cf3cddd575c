// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.TreeMap;

/** Counts a tree of runs anew from the bookings that are listed in it. */
final class PrefixTreeCheck {
  private int runs;

  private PrefixTreeCheck() {}

  /** What is below a run, itself included. */
  private static final class Below {
    final TreeMap<Integer, Integer> bookingsByRank = new TreeMap<>();
    final Set<long[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());

    void add(Below other) {
      other.bookingsByRank.forEach(
          (rank, count) -> bookingsByRank.merge(rank, count, Integer::sum));
      arrays.addAll(other.arrays);
    }
  }

  /**
   * Checks every run.
   *
   * @throws AssertionError if one breaks an invariant of {@link ActivePrefixes}
   */
  static void check(ActivePrefixes prefixes) {
    PrefixTreeCheck check = new PrefixTreeCheck();
    Below all = new Below();
    for (PrefixRun run = prefixes.root().firstChild; run != null; run = run.nextSibling) {
      all.add(check.run(prefixes, prefixes.root(), run));
    }
    assertThat(prefixes.runCount()).as("runs").isEqualTo(check.runs);
  }

  private Below run(ActivePrefixes prefixes, PrefixRun parent, PrefixRun run) {
    runs++;
    assertThat(run.parent).isSameAs(parent);
    assertThat(run.from).isEqualTo(parent.to);
    assertThat(run.to).isGreaterThan(run.from);
    assertThat(prefixes.find(parent, run.firstHash())).isSameAs(run);
    Below below = new Below();
    int children = 0;
    for (PrefixRun child = run.firstChild; child != null; child = child.nextSibling) {
      children++;
      below.add(run(prefixes, run, child));
      assertThat(hashes(child, run.to)).as("prompt above a run").isEqualTo(hashes(run, run.to));
    }
    for (TrackedBooking end = run.firstEnd; end != null; end = end.nextEnd) {
      assertThat(end.run).isSameAs(run);
      assertThat(end.booking.blockCount()).isEqualTo(run.to);
      below.bookingsByRank.merge(end.rank.index, 1, Integer::sum);
      below.arrays.add(end.booking.sequenceHashes());
    }
    assertThat(below.arrays.contains(run.hashes)).as("array of a living booking").isTrue();
    below.bookingsByRank.forEach(
        (rank, count) -> assertThat(run.ranks.count(rank)).as("rank %s", rank).isEqualTo(count));
    assertThat(run.ranks.size()).as("ranks").isEqualTo(below.bookingsByRank.size());
    boolean branchesOrEnds = children != 1 || run.firstEnd != null;
    assertThat(branchesOrEnds || !run.isOneWithItsChild()).as("run is not cut in two").isTrue();
    return below;
  }

  private static long[] hashes(PrefixRun run, int count) {
    return Arrays.copyOf(run.hashes, count);
  }
}
