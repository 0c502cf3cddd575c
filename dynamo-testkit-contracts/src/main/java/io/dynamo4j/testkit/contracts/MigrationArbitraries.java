// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * jqwik arbitraries of what goes wrong between a client and its answer. They shrink towards fewer
 * workers, shorter answers, a client that takes everything and stays.
 */
public final class MigrationArbitraries {
  private static final int MOST_WORKERS = 6;

  private MigrationArbitraries() {}

  /** Returns workers that bring the whole answer. */
  public static Arbitrary<WorkerFate> answering() {
    return Arbitraries.oneOf(
        Arbitraries.just(new WorkerFate.Answers()),
        Arbitraries.integers()
            .between(1, 400)
            .map(millis -> new WorkerFate.AnswersLate(Duration.ofMillis(millis))),
        migratingErrors().map(WorkerFate.FailsAfterFinish::new),
        Arbitraries.just(new WorkerFate.Overruns()));
  }

  /** Returns workers that fail in a way that another one may repair. */
  public static Arbitrary<WorkerFate> failing() {
    return Arbitraries.oneOf(
        migratingErrors().map(WorkerFate.Refuses::new),
        Combinators.combine(position(), migratingErrors()).as(WorkerFate.BreaksAfter::new),
        position().map(WorkerFate.EndsAfter::new),
        Arbitraries.just(new WorkerFate.NeverOpens()),
        position().map(WorkerFate.HangsAfter::new));
  }

  /** Returns workers that find fault with the request itself. */
  public static Arbitrary<WorkerFate> vetoing() {
    Arbitrary<ErrorType> errors = Arbitraries.of(MigrationCase.vetoingErrors());
    return Arbitraries.oneOf(
        errors.map(WorkerFate.Refuses::new),
        Combinators.combine(position(), errors).as(WorkerFate.BreaksAfter::new));
  }

  /** Returns any worker; most of them fail. */
  public static Arbitrary<WorkerFate> workers() {
    return Arbitraries.frequencyOf(
        Tuple.of(6, failing()), Tuple.of(2, answering()), Tuple.of(1, vetoing()));
  }

  /** Returns the scripts of workers, for a host's own {@code ScriptedDispatcher}. */
  public static Arbitrary<List<WorkerScript>> scripts() {
    return workers().map(WorkerFate::script).list().ofMinSize(1).ofMaxSize(MOST_WORKERS);
  }

  /** Returns whole cases: request, limits, workers and client. */
  public static Arbitrary<MigrationCase> cases() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 12),
            Arbitraries.integers().between(1, MigrationCase.MAX_TOKENS),
            Arbitraries.longs().between(0, 4),
            maxSeqLens(),
            workers().list().ofMaxSize(MOST_WORKERS),
            Arbitraries.integers().between(0, 5),
            cancels())
        .as(MigrationCase::new);
  }

  private static Arbitrary<Long> maxSeqLens() {
    return Arbitraries.oneOf(
        Arbitraries.just(MigrationOptions.UNLIMITED), Arbitraries.longs().between(1, 30));
  }

  private static Arbitrary<Integer> cancels() {
    return Arbitraries.oneOf(
        Arbitraries.just(MigrationCase.STAYS),
        Arbitraries.integers().between(0, MigrationCase.MAX_TOKENS));
  }

  private static Arbitrary<ErrorType> migratingErrors() {
    return Arbitraries.of(MigrationCase.migratingErrors());
  }

  /** Returns where a stream may break: the first token, the last, any between and beyond. */
  private static Arbitrary<Integer> position() {
    return Arbitraries.integers().between(0, MigrationCase.MAX_TOKENS + 1);
  }
}
