// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs streams through an index and the {@link ReferenceIndex} side by side and compares outcomes,
 * counts and scores after every step. A difference comes back shrunk, with its seed, as code.
 */
public final class IndexComparison {
  private final Supplier<SyncIndexer> factory;
  private final Consumer<SyncIndexer> invariants;

  private IndexComparison(Supplier<SyncIndexer> factory, Consumer<SyncIndexer> invariants) {
    this.factory = factory;
    this.invariants = invariants;
  }

  /**
   * Returns a comparison.
   *
   * @param factory makes an empty index
   * @param invariants throws if the index is inconsistent; called after every step
   */
  public static IndexComparison of(
      Supplier<SyncIndexer> factory, Consumer<SyncIndexer> invariants) {
    return new IndexComparison(factory, invariants);
  }

  /** Returns null, or the smallest failing stream found from the one of this seed, as text. */
  public @Nullable String compare(long seed, Hashes hashes, int length) {
    List<IndexStep> steps = EventStreams.of(seed, hashes, length);
    Difference difference = firstDifference(steps);
    if (difference == null) {
      return null;
    }
    List<IndexStep> shrunk = shrink(steps.subList(0, difference.step + 1));
    String what = Objects.requireNonNull(firstDifference(shrunk), "shrunk").what;
    return "index differs from the reference: seed="
        + seed
        + ", hashes="
        + hashes
        + ", "
        + what
        + ", steps=\n"
        + shrunk.stream().map(step -> "  " + step).collect(Collectors.joining("\n"));
  }

  /** Drops steps one by one, from the last, while what is left still fails. */
  private List<IndexStep> shrink(List<IndexStep> failing) {
    List<IndexStep> smallest = new ArrayList<>(failing);
    boolean progress = true;
    while (progress) {
      progress = false;
      for (int i = smallest.size() - 1; i >= 0; i--) {
        List<IndexStep> candidate = new ArrayList<>(smallest);
        candidate.remove(i);
        if (firstDifference(candidate) != null) {
          smallest = candidate;
          progress = true;
        }
      }
    }
    return smallest;
  }

  private record Difference(int step, String what) {}

  private @Nullable Difference firstDifference(List<IndexStep> steps) {
    SyncIndexer subject = factory.get();
    ReferenceIndex reference = ReferenceIndex.create();
    List<long[]> queries = queries(steps);
    for (int i = 0; i < steps.size(); i++) {
      String what = step(steps.get(i), subject, reference, queries);
      if (what != null) {
        return new Difference(i, "after=" + steps.get(i) + ", " + what);
      }
    }
    return null;
  }

  private @Nullable String step(
      IndexStep step, SyncIndexer subject, ReferenceIndex reference, List<long[]> queries) {
    String expected;
    String actual;
    try {
      expected = step.applyTo(reference);
      actual = step.applyTo(subject);
      invariants.accept(subject);
    } catch (RuntimeException e) {
      return "thrown=" + e;
    }
    if (!Objects.equals(expected, actual)) {
      return "outcome=" + actual + ", expected=" + expected;
    }
    if (subject.blockCount() != reference.blockCount()) {
      return "blocks=" + subject.blockCount() + ", expected=" + reference.blockCount();
    }
    for (long[] query : queries) {
      Map<WorkerWithDpRank, Integer> want = scores(reference, query);
      Map<WorkerWithDpRank, Integer> got = scores(subject, query);
      if (!want.equals(got)) {
        return "query=" + Arrays.toString(query) + ", scores=" + got + ", expected=" + want;
      }
      String wrong = ScopeCheck.wrongIn(subject, query, want);
      if (wrong != null) {
        return "query=" + Arrays.toString(query) + ", " + wrong + ", expected=" + want;
      }
    }
    return null;
  }

  /** Returns the scores of a query by rank. */
  public static Map<WorkerWithDpRank, Integer> scores(SyncIndexer index, long... query) {
    OverlapScores scores = OverlapScores.create();
    index.findMatches(query, query.length, scores);
    return byWorker(scores);
  }

  static Map<WorkerWithDpRank, Integer> byWorker(OverlapScores scores) {
    Map<WorkerWithDpRank, Integer> byWorker = new TreeMap<>();
    for (int i = 0; i < scores.size(); i++) {
      if (byWorker.put(scores.worker(i), scores.depth(i)) != null) {
        throw new AssertionError("rank is named twice: worker=" + scores.worker(i));
      }
    }
    return byWorker;
  }

  /**
   * Returns the paths that the stream stores, and as many that are drawn from the same contents.
   */
  private static List<long[]> queries(List<IndexStep> steps) {
    ReferenceIndex everything = ReferenceIndex.create();
    Set<List<Long>> paths = new LinkedHashSet<>();
    for (IndexStep step : steps) {
      step.applyTo(everything);
      everything.dump(
          event -> {
            if (paths.size() < 40
                && event.event().data() instanceof KvCacheEventData.Stored stored) {
              paths.add(Arrays.stream(stored.tokensHashes()).boxed().toList());
            }
          });
    }
    List<long[]> queries = new ArrayList<>();
    RandomSource random = RandomSource.seeded(steps.size());
    for (List<Long> path : paths) {
      long[] query = path.stream().mapToLong(Long::longValue).toArray();
      queries.add(query);
      long[] longer = Arrays.copyOf(query, query.length + 2);
      longer[random.nextInt(longer.length)] = random.nextInt(3) - 1L;
      queries.add(longer);
    }
    queries.add(new long[0]);
    return queries;
  }
}
