// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * One writer, one reader, one change of each kind. A lower score than the right one is allowed
 * beside a change, a higher one never is; each test says which order or check stands between the
 * reader and the forbidden outcome. Results are the scores that are too high, and one that was
 * seen.
 */
public final class RadixTreeStress {
  private static final WorkerWithDpRank A = WorkerWithDpRank.of(1);
  private static final WorkerWithDpRank B = WorkerWithDpRank.of(2);

  private RadixTreeStress() {}

  /** A tree, and the steps of both sides. */
  abstract static class Scene {
    final RadixTree tree = RadixTree.create(1);
    private final OverlapScores out = OverlapScores.create();

    final void store(WorkerWithDpRank worker, long... chain) {
      apply(worker, KvCacheEventData.Stored.atRoot(chain, chain));
    }

    final void storeUnder(WorkerWithDpRank worker, long parent, long... chain) {
      apply(worker, KvCacheEventData.Stored.under(parent, chain, chain));
    }

    final void remove(WorkerWithDpRank worker, long... hashes) {
      apply(worker, KvCacheEventData.Removed.of(hashes));
    }

    private void apply(WorkerWithDpRank worker, KvCacheEventData data) {
      KvCacheEvent event = KvCacheEvent.of(0, worker.dpRank(), data);
      tree.apply(RouterEvent.of(worker.workerId(), StorageTier.DEVICE, event));
    }

    final void find(long... query) {
      tree.findMatches(query, query.length, out);
    }

    /** Returns a rank's score in the last answer. */
    final int score(WorkerWithDpRank worker) {
      return out.depthOf(worker);
    }

    static int tooHigh(int score, int most) {
      return score > most ? 1 : 0;
    }

    /** Returns the number of ranks in the last answer. */
    final int ranks() {
      return out.size();
    }
  }

  /** An edge grows in place: its length is stored after its blocks. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A block was matched that is not there.")
  public static class Growth extends Scene {
    public Growth() {
      store(A, 7);
    }

    @Actor
    public void writer() {
      storeUnder(A, 7, 8);
      storeUnder(A, 8, 9, 10);
    }

    @Actor
    public void reader(II_Result result) {
      find(7, 8, 9, 10);
      result.r2 = score(A);
      find(7, 0);
      result.r1 = tooHigh(score(A), 1);
    }
  }

  /** A chain goes on in new nodes: each has its blocks before it can be found. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A block was matched that is not there.")
  public static class NewNodes extends Scene {
    public NewNodes() {
      store(A, 1);
    }

    @Actor
    public void writer() {
      storeUnder(A, 1, 2, 3, 4, 5, 6, 7, 8);
      storeUnder(A, 8, 9, 10, 11, 12, 13, 14);
      storeUnder(A, 1, 22, 23);
      storeUnder(A, 3, 34, 35);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 22, 23, 0, 0);
      result.r2 = score(A);
      result.r1 = tooHigh(score(A), 3);
      find(1, 2, 3, 34, 35, 0);
      result.r1 += tooHigh(score(A), 5);
    }
  }

  /** An edge is split under a reader: versions. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "What one rank holds was taken for another's.")
  public static class Split extends Scene {
    public Split() {
      store(A, 1, 2, 3, 4);
    }

    @Actor
    public void writer() {
      store(B, 1, 2, 9);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 2, 3, 4);
      result.r2 = score(A);
      result.r1 = tooHigh(score(A), 4) + tooHigh(score(B), 2);
    }
  }

  /** A node and its blocks are used again for other content: versions never come twice. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Blocks were matched that nobody holds.")
  public static class Reuse extends Scene {
    public Reuse() {
      store(A, 1, 2);
      store(A, 1, 3);
    }

    @Actor
    public void writer() {
      remove(A, 2);
      remove(A, 3);
      store(A, 1, 5);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 2, 0, 0);
      result.r2 = score(A);
      result.r1 = tooHigh(score(A), 2);
      find(1, 5, 3, 2);
      result.r1 += tooHigh(score(A), 2);
    }
  }

  /** The content changes sides while a reader asks for the new one first: no moment has both. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "The old content came back.")
  public static class Exchange extends Scene {
    public Exchange() {
      store(A, 1, 2, 3);
    }

    @Actor
    public void writer() {
      remove(A, 3);
      storeUnder(A, 2, 4);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 2, 4);
      int after = score(A);
      result.r2 = after;
      find(1, 2, 3);
      result.r1 = tooHigh(score(A), after == 3 ? 2 : 3);
    }
  }

  /** A block behind a gap is stored after the gap was made: the loss was announced before. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "No moment has a chain of four.")
  public static class Gap extends Scene {
    public Gap() {
      store(A, 1, 2, 3);
      store(B, 1, 7); // the chain is two nodes
    }

    @Actor
    public void writer() {
      remove(A, 1);
      storeUnder(A, 3, 4);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 2, 3, 4);
      result.r2 = score(A);
      result.r1 = tooHigh(score(A), 3);
    }
  }

  /** A rank leaves and another takes its slot: the number of the stay. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "One rank's blocks were said to be another's.")
  public static class Slots extends Scene {
    public Slots() {
      store(A, 1);
    }

    @Actor
    public void writer() {
      tree.removeWorker(A.workerId());
      store(B, 1, 2);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 2);
      result.r2 = score(B);
      result.r1 = tooHigh(score(A), score(B) > 0 ? 0 : 1);
    }
  }

  /** The 65th rank widens all records: the old ones are marked for good. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Ranks were made up.")
  public static class Widening extends Scene {
    public Widening() {
      for (int worker = 100; worker < 164; worker++) {
        store(WorkerWithDpRank.of(worker), 1);
      }
    }

    @Actor
    public void writer() {
      store(A, 1, 2);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 2);
      result.r2 = score(A);
      result.r1 = tooHigh(ranks(), score(A) > 0 ? 65 : 64);
    }
  }

  /** The 65th rank's loss is told in a longer table of losses than a reader began with. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "No moment has a chain of four.")
  public static class Losses extends Scene {
    public Losses() {
      for (int worker = 100; worker < 164; worker++) {
        store(WorkerWithDpRank.of(worker), 1);
      }
    }

    @Actor
    public void writer() {
      store(A, 1, 2, 3);
      remove(A, 2);
      storeUnder(A, 3, 4);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 2, 3, 4);
      result.r2 = score(A);
      result.r1 = tooHigh(score(A), 3);
    }
  }

  /** The table of children is replaced by a longer one, filled before. */
  @JCStressTest
  @State
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "Nothing too high.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A child was made up.")
  public static class Children extends Scene {
    public Children() {
      for (int child = 0; child < 31; child++) {
        store(A, 1, 100 + child);
      }
    }

    @Actor
    public void writer() {
      store(B, 1, 200);
      store(B, 1, 201);
    }

    @Actor
    public void reader(II_Result result) {
      find(1, 105, 0);
      result.r2 = score(A);
      find(1, 201, 0);
      result.r1 = tooHigh(score(A), 2) + tooHigh(score(B), 2);
    }
  }
}
