// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.router;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.MeasuringProcess;
import io.dynamo4j.benchmarks.Medians;
import io.dynamo4j.benchmarks.comparator.Comparator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A whole decision, from the lookup to the booking, against Dynamo's crate. */
public final class RouterBench implements Bench {
  private static final List<Integer> WORKERS = List.of(8, 64, 1_024);
  private static final int ROUNDS = 5;
  private static final int WARM_UP = 3;

  private final List<Row> rows = new ArrayList<>();
  private final List<Fact> facts = new ArrayList<>();

  @Override
  public String name() {
    return "router";
  }

  @Override
  public String description() {
    return "lookup, projection, selection and booking of a 12,288-token prompt, against Dynamo's crate";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    rows.clear();
    facts.clear();
    try {
      if (options.quick()) {
        check();
      } else {
        measure();
      }
      return new BenchResult(rows, facts);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Runs everything once on a small fleet and checks that nothing stays booked. */
  private void check() {
    try (RouterMeasurements router = new RouterMeasurements(8, 64)) {
      int before = router.bookings();
      router.decisions(false);
      router.decisions(true);
      RouterFigures.Threads two = router.threads(2);
      ChecksumMismatchException.requireEqual("bookings", before, router.bookings());
      facts.add(new Fact("router, requests of two threads", two.perSecond(), "1/s"));
    }
  }

  private void measure() throws IOException, InterruptedException {
    Optional<Comparator> index = Comparator.find();
    Optional<Comparator> selector = Comparator.findWithSelector();
    for (int workers : WORKERS) {
      Medians ours = ours(workers);
      if (index.isPresent() && selector.isPresent()) {
        TheirDecision theirs = TheirDecision.measure(index.get(), selector.get(), workers);
        compare(workers, ours, theirs);
      }
      report(workers, ours);
    }
    boolean isBuilt = index.isPresent() && selector.isPresent();
    facts.add(new Fact("router, comparator built by cargo", isBuilt ? 1 : 0, "count"));
  }

  private static Medians ours(int workers) throws IOException {
    Medians medians = new Medians();
    try (MeasuringProcess process = RouterProcess.start(workers)) {
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        Medians kept = round < 0 ? new Medians() : medians;
        RouterFigures.Decision decision =
            process.ask(RouterProcess.DECISION, RouterFigures.Decision.class);
        kept.add("decision", decision.decisionNanos());
        kept.add("end", decision.endNanos());
        kept.add("bytes", decision.decisionBytes());
        kept.add(
            "hashing",
            process.ask(RouterProcess.HASHING, RouterFigures.Decision.class).decisionNanos());
        RouterFigures.Threads two =
            process.ask(RouterProcess.TWO_THREADS, RouterFigures.Threads.class);
        RouterFigures.Threads eight =
            process.ask(RouterProcess.EIGHT_THREADS, RouterFigures.Threads.class);
        kept.add("two threads", two.perSecond());
        kept.add("eight threads", eight.perSecond());
        kept.add("cycle of eight", eight.decisionNanos());
      }
    }
    return medians;
  }

  private void compare(int workers, Medians ours, TheirDecision theirs) {
    String fleet = ", " + workers + " workers";
    rows.add(
        Row.lowerIsBetter(
            "router decision" + fleet, ours.of("decision"), theirs.decisionNanos(), "ns"));
    rows.add(
        Row.lowerIsBetter(
            "router decision with hashing" + fleet,
            ours.of("hashing"),
            theirs.decisionNanos() + theirs.hashNanos(),
            "ns"));
    rows.add(
        Row.lowerIsBetter(
            "router first token and end" + fleet, ours.of("end"), theirs.endNanos(), "ns"));
    rows.add(
        Row.lowerIsBetter(
            "router whole request, CPU time of 8 threads against 1 of theirs" + fleet,
            ours.of("cycle of eight"),
            theirs.decisionNanos() + theirs.endNanos(),
            "ns"));
    facts.add(new Fact("router, Dynamo's lookup" + fleet, theirs.matchNanos(), "ns"));
  }

  private void report(int workers, Medians ours) {
    String fleet = ", " + workers + " workers";
    rows.add(
        Row.higherIsBetter(
            "router requests of 8 threads against 2" + fleet,
            ours.of("eight threads"),
            ours.of("two threads"),
            "1/s"));
    facts.add(new Fact("router, bytes of a decision and its lease" + fleet, ours.of("bytes"), "B"));
  }
}
