// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.MeasuringProcess;
import io.dynamo4j.benchmarks.index.HeapBytes;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.EventOutcome;
import io.dynamo4j.indexer.KvIndexer;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;

/**
 * Events of a fleet whose workers join and leave, some under their old id, some under a new one;
 * then what the index takes against itself half the way before, and against fresh ones that were
 * told only what is left: by what is left of each store, and each chain at once.
 */
public final class IndexChurn {
  private static final int HEAP_MEGABYTES = 1_024;
  private static final int EVENTS_A_FLUSH = 20_000;
  private static final int EVENTS_A_MOVE = 400;
  private static final int LOOKUPS = 2_000;

  private IndexChurn() {}

  /**
   * What came of it.
   *
   * @param halfBlocks (hash, place) pairs after half of the events
   * @param halfBytes heap of the index after half of the events
   * @param bytes heap of the index in the end
   * @param steppedBytes heap of a fresh index that was told the stores of which something is left
   * @param freshBytes heap of a fresh index that was told each chain at once
   */
  record Outcome(
      long events,
      long joins,
      long departures,
      long blocks,
      long workers,
      long halfBlocks,
      double halfBytes,
      double bytes,
      double steppedBytes,
      double freshBytes) {

    /** Returns how much more each block takes than after half of the events. */
    double growth() {
      return bytes / blocks / (halfBytes / halfBlocks);
    }

    double againstStepped() {
      return bytes / steppedBytes;
    }

    double againstFresh() {
      return bytes / freshBytes;
    }
  }

  /** Runs it in a process of its own. */
  static Outcome run(long seed, int workers, long events) throws IOException {
    List<String> arguments = List.of("" + seed, "" + workers, "" + events);
    try (MeasuringProcess process =
        MeasuringProcess.start(IndexChurn.class, HEAP_MEGABYTES, arguments)) {
      return process.ask("run", Outcome.class);
    }
  }

  public static void main(String[] args) {
    PrintStream answers = System.out;
    System.setOut(System.err);
    long seed = Long.parseLong(args[0]);
    int workers = Integer.parseInt(args[1]);
    long events = Long.parseLong(args[2]);
    MeasuringProcess.serve(answers, command -> churn(seed, workers, events));
  }

  private static Outcome churn(long seed, int workers, long events) {
    ChurningFleet fleet = new ChurningFleet(RandomSource.seeded(seed), workers);
    try (RealEnvironment environment = RealEnvironment.create()) {
      HeapBytes around = new HeapBytes();
      KvIndexer index = index(environment.environment());
      tell(index, fleet, 0, events / 2);
      long halfBlocks = blocks(index);
      double halfBytes = around.more();
      tell(index, fleet, events / 2, events);
      double bytes = around.more();
      return new Outcome(
          events,
          fleet.joins(),
          fleet.departures(),
          blocks(index),
          fleet.alive(),
          halfBlocks,
          halfBytes,
          bytes,
          bytesOfFresh(environment, index, fleet, fleet::tellStandingStores),
          bytesOfFresh(environment, index, fleet, fleet::tellAll));
    }
  }

  private static void tell(KvIndexer index, ChurningFleet fleet, long from, long to) {
    for (long event = from; event < to; event++) {
      if (event % EVENTS_A_MOVE == 0) {
        fleet.move(index);
      }
      fleet.speak(index);
      if (event % EVENTS_A_FLUSH == 0) {
        index.flush().toCompletableFuture().join();
      }
    }
    index.flush().toCompletableFuture().join();
    requireNoneRefused(index);
  }

  private static double bytesOfFresh(
      RealEnvironment environment,
      KvIndexer index,
      ChurningFleet fleet,
      Consumer<KvIndexer> content) {
    HeapBytes around = new HeapBytes();
    try (KvIndexer fresh = index(environment.environment())) {
      content.accept(fresh);
      fresh.flush().toCompletableFuture().join();
      requireNoneRefused(fresh);
      double bytes = around.more();
      requireSame(index, fresh, fleet);
      return bytes;
    }
  }

  private static long blocks(KvIndexer index) {
    return index.status().blocks() + index.status().lowerTierBlocks();
  }

  private static KvIndexer index(Environment environment) {
    return KvIndexer.builder()
        .environment(environment)
        .blockSize(16)
        .maxPendingUpdates(Integer.MAX_VALUE)
        .build();
  }

  private static void requireNoneRefused(KvIndexer index) {
    for (EventOutcome outcome : EventOutcome.values()) {
      if (outcome != EventOutcome.APPLIED && index.status().events(outcome) != 0) {
        throw new IllegalStateException("events had no effect: status=" + index.status());
      }
    }
  }

  private static void requireSame(KvIndexer index, KvIndexer fresh, ChurningFleet fleet) {
    ChecksumMismatchException.requireEqual(
        "blocks after churn", index.status().blocks(), fresh.status().blocks());
    ChecksumMismatchException.requireEqual(
        "blocks below devices after churn",
        index.status().lowerTierBlocks(),
        fresh.status().lowerTierBlocks());
    OverlapScores one = OverlapScores.create();
    OverlapScores other = OverlapScores.create();
    for (int i = 0; i < LOOKUPS; i++) {
      long[] query = fleet.prompt(i);
      index.findMatches(query, query.length, one);
      fresh.findMatches(query, query.length, other);
      ChecksumMismatchException.requireEqual("ranks of a prompt", one.size(), other.size());
      for (int k = 0; k < one.size(); k++) {
        ChecksumMismatchException.requireEqual(
            "score after churn", one.depth(k), other.depthOf(one.worker(k)));
      }
    }
  }
}
