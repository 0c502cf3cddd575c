// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.simulation.fleet.SimulatedFleet;
import io.dynamo4j.simulation.fleet.SimulatedWorker;
import io.dynamo4j.testkit.engine.MockEngine;
import java.util.LinkedHashSet;
import java.util.Set;

/** What must be true once nothing is left to do. */
final class Quiescence {
  private final Ledger ledger;
  private final SimulatedFleet fleet;

  Quiescence(Ledger ledger) {
    this.ledger = ledger;
    this.fleet = ledger.fleet();
  }

  void check() {
    for (RequestEntry entry : ledger.requests()) {
      OracleViolation.check(!entry.isOpen(), Oracle.HANG, "never ended: " + entry);
    }
    checkEngines();
    checkBookings();
    KvIndexer indexer = fleet.indexer();
    if (indexer != null) {
      checkIndex(indexer);
    }
    OracleViolation.check(
        ledger.liveTimers() == 0, Oracle.TIMER, "timers are left: count=" + ledger.liveTimers());
    new CounterCheck(ledger, fleet.migrator().stats()).check();
  }

  private void checkEngines() {
    for (SimulatedWorker worker : fleet.workers()) {
      OracleViolation.check(
          worker.openStreams() == 0,
          Oracle.HANG,
          "streams are open: worker=" + worker.position() + ", count=" + worker.openStreams());
      MockEngine engine = worker.engine();
      if (engine != null) {
        engine.checkInvariants();
        OracleViolation.check(
            engine.runningCount() == 0 && engine.waitingCount() == 0,
            Oracle.CANCELLED_WORK,
            "an engine is at work: worker=" + worker.position());
      }
    }
  }

  private void checkBookings() {
    OracleViolation.check(
        ledger.bookingCount() == 0,
        Oracle.BOOKING,
        "bookings are left: count=" + ledger.bookingCount());
    KvRouter router = fleet.router();
    if (router != null) {
      OracleViolation.check(
          router.bookingCount() == 0,
          Oracle.BOOKING,
          "the router holds bookings: count=" + router.bookingCount());
    }
  }

  /** The index must say of each prompt exactly what the engines hold, in both directions. */
  private void checkIndex(KvIndexer indexer) {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.builder(indexer.blockSize()).build());
    OverlapScores scores = OverlapScores.create();
    long cached = 0;
    for (SimulatedWorker worker : fleet.workers()) {
      Set<Long> held = heldBlocks(worker);
      cached += held.size();
      WorkerWithDpRank rank = WorkerWithDpRank.of(SimulatedWorker.workerId(worker.position()));
      for (RequestEntry entry : ledger.requests()) {
        TokenSlice prompt = TokenSlice.wrap(entry.request().prompt());
        long[] local = new long[hasher.blockCount(prompt.length())];
        int blocks = hasher.hash(prompt, local);
        indexer.findMatches(local, blocks, scores);
        OverlapScores found = scores;
        int expected = heldPrefix(local, blocks, held);
        OracleViolation.check(
            found.depthOf(rank) == expected,
            Oracle.INDEX,
            "index differs: worker="
                + rank
                + ", "
                + entry
                + ", index="
                + found.depthOf(rank)
                + ", engine="
                + expected);
      }
    }
    OracleViolation.check(
        indexer.status().blocks() == cached,
        Oracle.INDEX,
        "index size differs: index=" + indexer.status().blocks() + ", engines=" + cached);
  }

  private static int heldPrefix(long[] local, int blocks, Set<Long> held) {
    long[] sequence = new long[blocks];
    SequenceHasher.hash(local, blocks, sequence);
    int depth = 0;
    while (depth < blocks && held.contains(sequence[depth])) {
      depth++;
    }
    return depth;
  }

  private static Set<Long> heldBlocks(SimulatedWorker worker) {
    Set<Long> held = new LinkedHashSet<>();
    MockEngine engine = worker.engine();
    if (engine != null) {
      for (long hash : engine.cachedBlockHashes()) {
        held.add(hash);
      }
    }
    return held;
  }
}
