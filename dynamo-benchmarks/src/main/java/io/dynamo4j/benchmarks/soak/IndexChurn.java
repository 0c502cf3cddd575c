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

/**
 * Events of a fleet whose workers join and leave, some under their old id, some under a new one;
 * then what the index takes against a fresh one that was told only what is left.
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
   * @param bytes heap of the index in the end
   * @param freshBytes heap of a fresh index with the same content
   */
  record Outcome(
      long events,
      long joins,
      long departures,
      long blocks,
      long workers,
      double bytes,
      double freshBytes) {

    double ratio() {
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
      for (long event = 0; event < events; event++) {
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
      double bytes = around.more();
      HeapBytes aroundFresh = new HeapBytes();
      KvIndexer fresh = index(environment.environment());
      fleet.tellAll(fresh);
      fresh.flush().toCompletableFuture().join();
      double freshBytes = aroundFresh.more();
      requireSame(index, fresh, fleet);
      return new Outcome(
          events,
          fleet.joins(),
          fleet.departures(),
          index.status().blocks() + index.status().lowerTierBlocks(),
          fleet.alive(),
          bytes,
          freshBytes);
    }
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
