// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The model of {@link SyncIndexer} as a table of cases. A case is a name and lines:
 *
 * <pre>
 *   1   store 1/11 2/12        worker 1 stores blocks at the root, each as local/external hash
 *   1.1 under 12 store 3/13    rank 1 of worker 1 stores below its block 12
 *   1   remove 12 99           by external hash
 *   1   clear | gone           the rank is cleared; the rank is gone
 *   1   leaves                 the worker is gone with all ranks
 *   ... = PARENT_NOT_FOUND     the outcome, APPLIED unless said
 *   ? 1 2 3 : 1=2 1.1=3        query and scores
 *   # 5                        pairs held over all ranks
 * </pre>
 */
final class IndexModel {
  private static final String TABLE =
      """
      == the score is the longest prefix held
      1 store 1/11 2/12 3/13
      ? 1 2 3 4 : 1=3
      ? 1 2     : 1=2
      ? 1 9 3   : 1=1
      ? 2 3     :
      ?         :
      # 3
      == a store under a parent in mid-chain branches
      1 store 1/11 2/12 3/13
      1 under 12 store 7/17 8/18
      ? 1 2 7 8 : 1=4
      ? 1 2 3   : 1=3
      == ranks of one worker share nothing
      1 store 1/11 2/12
      1.1 store 1/11
      1.1 under 12 store 3/13 = PARENT_NOT_FOUND
      ? 1 2 : 1=2 1.1=1
      == equal content over and over is one chain
      1 store 5/1 5/2 5/3
      ? 5 5 5 5 : 1=3
      == hashes may be zero, negative, and the extremes
      -1.-1 store 0/-1 -1/0 -9223372036854775808/-9223372036854775808
      -1.-1 under 0 store 5/9223372036854775807
      ? 0 -1 -9223372036854775808 : -1.-1=3
      ? 0 -1 5 : -1.-1=3
      -1.-1 remove 0
      ? 0 -1 5 : -1.-1=1
      == zero is a parent like any other
      1 store 1/0
      1 under 0 store 2/12
      ? 1 2 : 1=2
      == a parent that the rank does not hold refuses the store
      1 under 99 store 1/11 2/12 = PARENT_NOT_FOUND
      # 0
      == another rank's block is no parent
      1 store 1/11
      2 under 11 store 2/12 = PARENT_NOT_FOUND
      == a removed block is no parent
      1 store 1/11 2/12
      1 remove 12
      1 under 12 store 3/13 = PARENT_NOT_FOUND
      == a store that names its own parent is refused, before the parent is looked for
      1 under 99 store 1/11 2/99 = SELF_REFERENCE
      1 store 1/11
      1 under 11 store 2/12 3/11 = SELF_REFERENCE
      # 1
      == a store of no blocks does nothing
      1 store
      1 under 1 store = PARENT_NOT_FOUND
      # 0
      == a repeated store changes nothing
      1 store 1/11 2/12
      1 store 1/11 2/12 = DUPLICATE
      # 2
      1 remove 12
      ? 1 2 : 1=1
      == a removal with unknown hashes applies the rest
      1 store 1/11 2/12
      1 remove 99 12 = UNKNOWN_BLOCKS
      ? 1 2 : 1=1
      1 remove 12 = UNKNOWN_BLOCKS
      3 remove 11 = UNKNOWN_BLOCKS
      # 1
      == a removed middle block makes what is behind it unreachable, not forgotten
      1 store 1/11 2/12 3/13 4/14
      1 remove 12
      ? 1 2 3 4 : 1=1
      # 3
      == storing the same block again restores it
      1 store 1/11 2/12 3/13 4/14
      1 remove 12
      1 under 11 store 2/12
      ? 1 2 3 4 : 1=4
      == so does a store of the whole chain
      1 store 1/11 2/12 3/13 4/14
      1 remove 12
      1 store 1/11 2/12 3/13 4/14
      ? 1 2 3 4 : 1=4
      # 4
      == so does another hash for the gap
      1 store 1/11 2/12 3/13
      1 remove 12
      1 store 1/11 2/92
      ? 1 2 3 : 1=3
      == other content in the gap does not restore it
      1 store 1/11 2/12 3/13
      1 remove 12
      1 under 11 store 9/12
      ? 1 2 3 : 1=1
      ? 1 9 3 : 1=2
      == another rank does not fill a gap
      1 store 1/11 2/12 3/13
      2 store 1/11 2/12 3/13
      1 remove 12
      ? 1 2 3 : 1=1 2=3
      == a removed first block hides the chain
      1 store 1/11 2/12 3/13
      1 remove 11
      ? 1 2 3 :
      1 store 1/11
      ? 1 2 3 : 1=3
      == two gaps are two gaps
      1 store 1/11 2/12 3/13 4/14 5/15
      1 remove 12 14
      1 under 11 store 2/12
      ? 1 2 3 4 5 : 1=3
      1 under 13 store 4/14
      ? 1 2 3 4 5 : 1=5
      == a gap in a shared stretch hides a rank's branch below it
      1 store 1/11 2/12 3/13
      1 under 12 store 7/17
      2 store 1/11 2/12 3/13
      1 remove 12
      ? 1 2 7 : 1=1 2=2
      1 under 11 store 2/12
      ? 1 2 7 : 1=3 2=2
      == a block behind a gap is a parent
      1 store 1/11 2/12 3/13
      1 remove 12
      1 under 13 store 4/14
      ? 1 2 3 4 : 1=1
      1 under 11 store 2/12
      ? 1 2 3 4 : 1=4
      == a block behind a gap can be removed
      1 store 1/11 2/12 3/13
      1 remove 12
      1 remove 13
      1 under 11 store 2/12
      ? 1 2 3 : 1=2
      == T1: a gap at a branch is not covered by as many other holders
      1 store 1/11 2/12 3/13 4/14
      2 store 1/11 2/12 9/19
      1 remove 12
      ? 1 2 3 4 : 1=1 2=2
      ? 1 2 9   : 1=1 2=3
      == T2: equal content under other hashes continues
      1 store 1/11 2/12
      2 store 1/21 2/22 3/23
      2 under 23 store 4/24
      ? 1 2 3 4 : 1=2 2=4
      2 remove 22
      ? 1 2 3 4 : 1=2 2=1
      1 remove 11 12
      ? 1 2 3 4 : 2=1
      == T2: a second rank's continuation exactly behind the first one's chain
      1 store 1/11 2/12 3/13
      2 store 1/21 2/22 3/23
      2 under 23 store 4/24 5/25
      1 under 13 store 4/14
      ? 1 2 3 4 5 : 1=4 2=5
      == T3: one rank's answer does not depend on what another loses
      1 store 1/11 2/12 3/13
      2 store 1/11 2/12 3/13
      1 remove 12
      2 clear
      1 under 11 store 2/12
      ? 1 2 3 : 1=3
      == T3: nothing stays behind when a hash is used for other content
      1 store 1/11 2/12
      1 remove 12
      1 under 11 store 5/12
      ? 1 2 : 1=1
      ? 1 5 : 1=2
      1 remove 11 12
      ? 1 5 :
      # 0
      == a place under two hashes is held until both are removed
      1 store 1/11 2/12
      1 under 11 store 2/92
      # 3
      1 remove 12
      ? 1 2 : 1=2
      1 under 92 store 3/13
      ? 1 2 3 : 1=3
      1 remove 92
      ? 1 2 3 : 1=1
      == the second hash of a place may go first
      1 store 1/11 2/12
      1 under 11 store 2/92
      1 remove 92
      1 under 92 store 3/13 = PARENT_NOT_FOUND
      ? 1 2 : 1=2
      == a hash at two places is removed from both
      1 store 1/11 2/77
      1 under 11 store 3/77
      ? 1 2 : 1=2
      ? 1 3 : 1=2
      1 remove 77
      ? 1 2 : 1=1
      ? 1 3 : 1=1
      == a parent hash at two places means the latest
      1 store 1/11 2/77
      1 under 11 store 3/77
      1 under 77 store 4/14
      ? 1 3 4 : 1=3
      1 under 11 store 2/77 = DUPLICATE
      1 under 77 store 5/15
      ? 1 2 5 : 1=3
      == one store may repeat a hash
      1 store 1/7 2/7 3/8
      ? 1 2 3 : 1=3
      1 remove 7
      ? 1 2 3 :
      # 1
      == a removal may repeat a hash
      1 store 1/11 2/12
      1 remove 12 12 = UNKNOWN_BLOCKS
      # 1
      == an external hash equal to another block's local hash means nothing
      1 store 1/2 2/1
      1 remove 1
      ? 1 2 : 1=1
      == a clear is of the emitting rank
      1 store 1/11
      1.1 store 1/11
      2 store 1/11
      1 clear
      ? 1 : 1.1=1 2=1
      1 clear
      1 under 11 store 2/12 = PARENT_NOT_FOUND
      == a worker that leaves takes all its ranks
      1 store 1/11
      1.-1 store 1/11
      2 store 1/11
      1 leaves
      1 leaves
      ? 1 : 2=1
      # 1
      1 under 11 store 2/12 = PARENT_NOT_FOUND
      == a rank that is gone leaves the others
      1 store 1/11
      1.1 store 1/11
      1.1 gone
      8.8 gone
      ? 1 : 1=1
      == a rank that comes back begins anew
      1 store 1/11 2/12
      1 gone
      1 store 1/11
      ? 1 2 : 1=1
      == a rank that comes back is not told what its slot's next tenant held
      1 store 1/11 2/12
      1 gone
      2 store 1/11 2/12 3/13
      1 store 1/11
      ? 1 2 3 : 1=1 2=3
      """;

  /** One row of the table. */
  record Case(String name, List<String> lines) {

    /** Plays the case and throws at the first line that does not hold. */
    void play(SyncIndexer index) {
      for (String line : lines) {
        if (line.startsWith("?")) {
          query(index, line);
        } else if (line.startsWith("#")) {
          require(line, String.valueOf(index.blockCount()), line.substring(1).strip());
        } else {
          step(index, line);
        }
      }
    }

    private static void query(SyncIndexer index, String line) {
      String[] sides = line.substring(1).split(":", -1);
      Map<WorkerWithDpRank, Integer> scores = new TreeMap<>();
      for (String score : words(sides[1])) {
        String[] parts = score.split("=", -1);
        scores.put(rank(parts[0]), Integer.valueOf(parts[1]));
      }
      require(line, IndexComparison.scores(index, longs(words(sides[0]))), scores);
    }

    private static void step(SyncIndexer index, String line) {
      String[] sides = line.split(" = ", -1);
      List<String> words = words(sides[0]);
      String outcome = stepOf(rank(words.get(0)), words.subList(1, words.size())).applyTo(index);
      if (outcome != null) {
        String expected = sides.length > 1 ? sides[1].strip() : "APPLIED";
        require(line, outcome.replaceAll(".*outcome=(\\w+).*", "$1"), expected);
      }
    }

    private static IndexStep stepOf(WorkerWithDpRank rank, List<String> words) {
      return switch (words.get(0)) {
        case "store" -> new IndexStep.Event(rank, stored(words, 1));
        case "under" -> new IndexStep.Event(rank, stored(words, 3));
        case "remove" ->
            new IndexStep.Event(
                rank, KvCacheEventData.Removed.of(longs(words.subList(1, words.size()))));
        case "clear" -> new IndexStep.Event(rank, KvCacheEventData.Cleared.instance());
        case "gone" -> new IndexStep.RankGone(rank);
        case "leaves" -> new IndexStep.WorkerGone(rank.workerId());
        default -> throw new IllegalArgumentException("no such step: words=" + words);
      };
    }

    private static KvCacheEventData stored(List<String> words, int from) {
      List<String> blocks = words.subList(from, words.size());
      long[] local = blocks.stream().mapToLong(block -> part(block, 0)).toArray();
      long[] external = blocks.stream().mapToLong(block -> part(block, 1)).toArray();
      return from == 1
          ? KvCacheEventData.Stored.atRoot(external, local)
          : KvCacheEventData.Stored.under(Long.parseLong(words.get(1)), external, local);
    }

    private static long part(String block, int index) {
      return Long.parseLong(block.split("/", -1)[index]);
    }

    private static WorkerWithDpRank rank(String text) {
      String[] parts = text.split("\\.", -1);
      int rank = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
      return new WorkerWithDpRank(Long.parseLong(parts[0]), rank);
    }

    private static long[] longs(List<String> words) {
      return words.stream().mapToLong(Long::parseLong).toArray();
    }

    private static List<String> words(String text) {
      return Arrays.stream(text.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
    }

    private static void require(String line, Object actual, Object expected) {
      if (!actual.equals(expected)) {
        throw new AssertionError(
            "line does not hold: line=" + line + ", actual=" + actual + ", expected=" + expected);
      }
    }
  }

  private IndexModel() {}

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (String block : TABLE.split("(?m)^== ", -1)) {
      List<String> lines = block.lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
      if (!lines.isEmpty()) {
        cases.add(new Case(lines.get(0), lines.subList(1, lines.size())));
      }
    }
    return cases;
  }
}
