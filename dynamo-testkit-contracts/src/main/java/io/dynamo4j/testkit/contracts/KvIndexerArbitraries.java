// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.testkit.contracts.IndexScript.Step;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * jqwik arbitraries of what an index hears and is asked. Few ranks, few hashes and few contents, so
 * that they meet: shared prefixes, one content under two hashes, one hash for two contents,
 * removals of what is not there. They shrink towards fewer steps and shorter chains.
 */
public final class KvIndexerArbitraries {
  private static final int MOST_HASHES = 12;
  private static final int MOST_CONTENTS = 4;
  private static final int LONGEST = 5;

  private KvIndexerArbitraries() {}

  /**
   * Returns ranks of a small fleet; some workers have several, one id is beyond the signed ones.
   */
  public static Arbitrary<WorkerWithDpRank> ranks() {
    return Combinators.combine(
            Arbitraries.of(1L, 2L, 3L, -1L), Arbitraries.integers().between(0, 2))
        .as(WorkerWithDpRank::new);
  }

  /** Returns prompts as local hashes, the empty one included. */
  public static Arbitrary<long[]> prompts() {
    return contents()
        .list()
        .ofMaxSize(LONGEST + 2)
        .map(list -> list.stream().mapToLong(Long::longValue).toArray());
  }

  /** Returns one thing that an index is told; stores mostly. */
  public static Arbitrary<Step> steps() {
    return Arbitraries.frequencyOf(
        Tuple.of(12, stores()),
        Tuple.of(5, removals()),
        Tuple.of(1, ranks().map(Step.Clear::new)),
        Tuple.of(1, ranks().map(Step.RankGone::new)),
        Tuple.of(1, Arbitraries.of(1L, 2L, 3L, -1L, 9L).map(Step.WorkerGone::new)));
  }

  /** Returns event streams of a whole fleet. */
  public static Arbitrary<IndexScript> scripts() {
    return steps().list().ofMaxSize(40).map(IndexScript::new);
  }

  /**
   * Returns event streams as engines send them whose hashes name their whole prefix: a hash is
   * never at two places.
   */
  public static Arbitrary<IndexScript> chainedScripts() {
    return Combinators.combine(
            ranks().list().ofMinSize(1).ofMaxSize(3),
            Arbitraries.integers().between(0, 1 << 20).list().ofMaxSize(30))
        .as(KvIndexerArbitraries::chained);
  }

  private static IndexScript chained(List<WorkerWithDpRank> ranks, List<Integer> draws) {
    List<Step> steps = new ArrayList<>();
    for (int draw : draws) {
      WorkerWithDpRank rank = ranks.get(draw % ranks.size());
      int length = 1 + draw / 7 % LONGEST;
      List<Long> hashes = new ArrayList<>();
      List<Long> locals = new ArrayList<>();
      long hash = 1;
      for (int i = 0; i < length; i++) {
        long local = 1L + (draw >>> i) % 3;
        hash = hash * 31 + local;
        hashes.add(hash);
        locals.add(local);
      }
      if (draw % 5 == 0) {
        steps.add(new Step.Remove(rank, hashes.subList(length - 1, length)));
      } else {
        steps.add(new Step.Store(rank, 0, hashes, locals));
      }
    }
    return new IndexScript(steps);
  }

  private static Arbitrary<Step> stores() {
    Arbitrary<Long> parents =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(0L)),
            Tuple.of(3, Arbitraries.longs().between(1, MOST_HASHES)));
    return Arbitraries.integers()
        .between(1, LONGEST)
        .flatMap(
            length ->
                Combinators.combine(
                        ranks(),
                        parents,
                        hashes().list().ofSize(length),
                        contents().list().ofSize(length))
                    .as(Step.Store::new));
  }

  private static Arbitrary<Step> removals() {
    return Combinators.combine(ranks(), hashes().list().ofMinSize(1).ofMaxSize(3))
        .as(Step.Remove::new);
  }

  private static Arbitrary<Long> hashes() {
    return Arbitraries.longs().between(1, MOST_HASHES);
  }

  private static Arbitrary<Long> contents() {
    return Arbitraries.longs().between(1, MOST_CONTENTS);
  }
}
