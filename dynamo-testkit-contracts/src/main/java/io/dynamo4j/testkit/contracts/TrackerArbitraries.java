// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.testkit.contracts.BookingScript.Step;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * jqwik arbitraries of what a router does to its account of load. Few ranks, keys and prompts, so
 * that bookings share blocks, keys come again, and what is gone is freed once more.
 */
public final class TrackerArbitraries {
  static final int FAMILIES = 3;

  private static final int KEYS = 5;
  private static final int BLOCKS = 6;

  private TrackerArbitraries() {}

  /** Returns scripts of up to forty steps. */
  public static Arbitrary<BookingScript> scripts() {
    return steps().list().ofMaxSize(40).map(BookingScript::new);
  }

  /** Returns one thing that a router does; bookings mostly. */
  public static Arbitrary<Step> steps() {
    Arbitrary<Integer> bookings = Arbitraries.integers().between(0, 40);
    return Arbitraries.frequencyOf(
        Tuple.of(8, books()),
        Tuple.of(4, bookings.map(Step.Prefill::new)),
        Tuple.of(4, bookings.map(Step.Output::new)),
        Tuple.of(5, bookings.map(Step.Free::new)),
        Tuple.of(1, KvIndexerArbitraries.ranks().map(Step.RankGone::new)));
  }

  private static Arbitrary<Step> books() {
    return Combinators.combine(
            KvIndexerArbitraries.ranks(),
            Arbitraries.integers().between(1, KEYS),
            Arbitraries.integers().between(1, FAMILIES),
            Arbitraries.integers().between(0, BLOCKS),
            Arbitraries.integers().between(0, 30))
        .as(Step.Book::new);
  }
}
