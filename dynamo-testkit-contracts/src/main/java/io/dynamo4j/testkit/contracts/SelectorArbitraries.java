// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.testkit.contracts.SelectionCase.Row;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** jqwik arbitraries of questions to a policy: few figures, so that ties are many. */
public final class SelectorArbitraries {

  private SelectorArbitraries() {}

  /** Returns questions about fleets of one to eight ranks. */
  public static Arbitrary<SelectionCase> cases() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 40),
            rows().list().uniqueElements(Row::worker).ofMinSize(1).ofMaxSize(8),
            Arbitraries.longs())
        .as(SelectionCase::new);
  }

  /** Returns an eligible rank, idle or at work. */
  public static Arbitrary<Row> rows() {
    return Combinators.combine(
            KvIndexerArbitraries.ranks(),
            Arbitraries.integers().between(0, 10),
            Arbitraries.of(0L, 0L, 4L, 100L),
            Arbitraries.of(0L, 0L, 3L, 50L),
            Arbitraries.of(0, 1, 5))
        .as(Row::new);
  }
}
