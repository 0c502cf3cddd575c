// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.core.model.KvCacheEventData.Removed;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.core.testing.ReferenceIndex;
import io.dynamo4j.core.tree.InterleavedWalk.Fault;
import java.lang.reflect.Method;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The contract of readers beside the writer under Lincheck's model checking: scenarios of a few
 * steps and lookups, every thread switch at a time of its choosing.
 *
 * <p>The tree promises less than linearizability: a lookup is at most what was held at one moment
 * between the steps that were done when it began and those that were begun when it ended, and equal
 * where that is one moment. Each lookup is therefore judged where it is made, and what Lincheck
 * holds to be linearizable is that the judgement is always good.
 */
public final class LincheckRun {
  /** Exit code that says so. */
  static final int FOUND = 3;

  private static final int MOST_STEPS = 16;
  private static final WorkerWithDpRank A = WorkerWithDpRank.of(1);
  private static final WorkerWithDpRank B = WorkerWithDpRank.of(2);

  private LincheckRun() {}

  /**
   * Checks and exits with 0 if all is good, {@link #FOUND} if Lincheck found a fault.
   *
   * @param args the name of a {@link Fault}, executions of each scenario, scenarios of Lincheck's
   *     own choice beyond those that are written down here
   */
  public static void main(String[] args) {
    Class<?> subject =
        switch (Fault.valueOf(args[0])) {
          case NONE -> Sound.class;
          case SKIPS_VERSIONS -> WithoutVersions.class;
          case SKIPS_LOSSES -> WithoutLosses.class;
        };
    ModelCheckingOptions options =
        new ModelCheckingOptions()
            .invocationsPerIteration(Integer.parseInt(args[1]))
            .iterations(Integer.parseInt(args[2]))
            .minimizeFailedScenario(false)
            .threads(2)
            .actorsBefore(2)
            .actorsPerThread(2)
            .actorsAfter(0)
            .addGuarantee(
                ManagedStrategyGuaranteeKt.forClasses(LincheckRun::isOneThreads)
                    .allMethods()
                    .treatAsAtomic());
    // A trimmed edge, of which a part was held by one rank.
    options.addCustomScenario(scenario(subject, List.of(0, 9), List.of(7), List.of(0)));
    // A loss three nodes up, then growth.
    options.addCustomScenario(scenario(subject, List.of(0, 10, 1), List.of(3, 2), List.of(0)));
    // A split, and a node used again.
    options.addCustomScenario(scenario(subject, List.of(0), List.of(1, 5), List.of(0, 1)));
    // A slot with another tenant.
    options.addCustomScenario(scenario(subject, List.of(0), List.of(7, 6), List.of(0, 2)));
    try {
      options.check(subject);
    } catch (AssertionError e) {
      System.out.println(e.getMessage());
      System.exit(FOUND);
    }
    System.exit(0);
  }

  /** What belongs to one thread needs no switches within. */
  private static boolean isOneThreads(String className) {
    return className.equals(ReferenceIndex.class.getName())
        || className.equals(RankTable.class.getName())
        || className.startsWith(LongIntMap.class.getPackageName());
  }

  private static ExecutionScenario scenario(
      Class<?> subject, List<Integer> before, List<Integer> steps, List<Integer> queries) {
    return new ExecutionScenario(
        calls(subject, "step", before),
        List.of(calls(subject, "step", steps), calls(subject, "find", queries)),
        List.of(),
        null);
  }

  private static List<Actor> calls(Class<?> subject, String method, List<Integer> arguments) {
    try {
      Method called = subject.getMethod(method, int.class);
      return arguments.stream().map(each -> new Actor(called, List.of(each))).toList();
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("subject lacks a method: name=" + method, e);
    }
  }

  /** A tree, its reference, and what the reference said after each step. */
  public abstract static class Judged {
    private static final long[][] QUERIES = {{1, 2, 3, 4}, {1, 2, 9}, {1, 5}};

    private final List<IndexStep> steps =
        List.of(
            new IndexStep.Event(A, stored(1, 2, 3)),
            new IndexStep.Event(B, stored(1, 2, 9)),
            new IndexStep.Event(A, Stored.under(3, new long[] {4}, new long[] {4})),
            new IndexStep.Event(A, Removed.of(new long[] {1})),
            new IndexStep.Event(A, Removed.of(new long[] {2, 3})),
            new IndexStep.Event(B, Removed.of(new long[] {9, 2})),
            new IndexStep.Event(B, stored(1, 5)),
            new IndexStep.RankGone(A),
            new IndexStep.WorkerGone(2),
            new IndexStep.Event(B, stored(1)),
            new IndexStep.Event(B, stored(1, 8)));
    private final ReferenceIndex reference = ReferenceIndex.create();
    private final int[][][] moments = new int[MOST_STEPS][][];
    private final RadixTree tree;
    private volatile int begun;
    private volatile int done;

    Judged(Fault fault) {
      tree = InterleavedWalk.treeWith(1, HolderForm.STANDARD, () -> {}, fault);
      moments[0] = answers(reference);
    }

    private static Stored stored(long... chain) {
      return Stored.atRoot(chain, chain);
    }

    private static int[][] answers(SyncIndexer index) {
      int[][] answers = new int[QUERIES.length][];
      for (int query = 0; query < QUERIES.length; query++) {
        answers[query] = answer(index, query);
      }
      return answers;
    }

    private static int[] answer(SyncIndexer index, int query) {
      OverlapScores out = OverlapScores.create();
      index.findMatches(QUERIES[query], QUERIES[query].length, out);
      return new int[] {out.depthOf(A), out.depthOf(B)};
    }

    /** The writer's. */
    @Operation(nonParallelGroup = "writer")
    public final void step(@Param(gen = IntGen.class, conf = "0:10") int step) {
      int next = begun + 1;
      steps.get(step).applyTo(reference);
      moments[next] = answers(reference);
      begun = next;
      steps.get(step).applyTo(tree);
      done = next;
    }

    /** A reader's; returns whether the answer is a good one. */
    @Operation
    public final boolean find(@Param(gen = IntGen.class, conf = "0:2") int query) {
      int from = done;
      int[] answer = answer(tree, query);
      int to = begun;
      for (int moment = from; moment <= to; moment++) {
        int[] held = moments[moment][query];
        boolean equal = answer[0] == held[0] && answer[1] == held[1];
        if (from == to ? equal : answer[0] <= held[0] && answer[1] <= held[1]) {
          return true;
        }
      }
      return false;
    }
  }

  /** The tree as it is. */
  public static class Sound extends Judged {
    public Sound() {
      super(Fault.NONE);
    }
  }

  /** The tree read without a second look at versions. */
  public static class WithoutVersions extends Judged {
    public WithoutVersions() {
      super(Fault.SKIPS_VERSIONS);
    }
  }

  /** The tree read without asking for losses. */
  public static class WithoutLosses extends Judged {
    public WithoutLosses() {
      super(Fault.SKIPS_LOSSES);
    }
  }
}
