// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.IndexerFixture.scores;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An approximate index against plain lists, over random decisions, ends, departures and time. */
class DecisionMemoryDifferentialTest {
  private static final int RUNS = 60;
  private static final int STEPS = 120;
  private static final long TTL = 10;

  /** One block of one rank in the reference: its path, when it was last used, who holds it. */
  private static final class Held {
    final List<Long> path;
    long used;
    long order;
    int pins;

    Held(List<Long> path) {
      this.path = path;
    }
  }

  /** A request of the reference that still runs. */
  private static final class Running {
    final long workerId;
    final int life;
    final List<Held> blocks;
    final DecisionLease lease;
    int outputBlocks;

    Running(long workerId, int life, List<Held> blocks, DecisionLease lease) {
      this.workerId = workerId;
      this.life = life;
      this.blocks = blocks;
      this.lease = lease;
    }
  }

  /** The reference and the index side by side. */
  private static final class Run {
    final Simulation simulation;
    final KvIndexer index;
    final boolean byRoom;
    final long ttl;
    final long capacity;
    final RandomSource random;
    final Map<Long, List<Held>> ranks = new TreeMap<>();
    final Map<Long, Integer> lives = new TreeMap<>();
    final List<Running> running = new ArrayList<>();
    long order;

    Run(long seed, boolean byRoom, long ttl) {
      this.simulation = Simulation.builder().seed(seed).build();
      this.random = RandomSource.seeded(seed);
      this.byRoom = byRoom;
      this.ttl = ttl;
      this.capacity = byRoom ? 6 : 0;
      this.index =
          KvIndexer.builder()
              .environment(simulation.environment("router"))
              .blockSize(4)
              .useKvEvents(false)
              .routerTtl(Duration.ofNanos(TTL))
              .approximateCachePolicy(
                  byRoom ? ApproximateCachePolicy.LRU : ApproximateCachePolicy.TTL)
              .build();
    }

    @Nullable String difference() {
      for (int step = 0; step < STEPS; step++) {
        String what = step();
        simulation.await(index.flush());
        expire();
        for (long first = 1; first <= 3; first++) {
          for (long second = 1; second <= 2; second++) {
            long[] query = {first, second, first, second, second};
            Map<WorkerWithDpRank, Integer> expected = expected(query);
            Map<WorkerWithDpRank, Integer> actual = scores(index, query);
            if (!expected.equals(actual)) {
              return what + ": step=" + step + ", expected=" + expected + ", actual=" + actual;
            }
          }
        }
        long blocks = ranks.values().stream().mapToLong(List::size).sum();
        if (index.status().decidedBlocks() != blocks) {
          return what + ": blocks=" + index.status().decidedBlocks() + ", expected=" + blocks;
        }
      }
      return null;
    }

    private String step() {
      int kind = random.nextInt(100);
      if (kind < 50) {
        decide();
        return "decide";
      }
      if (kind < 70 && !running.isEmpty()) {
        end(running.remove(random.nextInt(running.size())));
        return "end";
      }
      if (kind < 80 && !running.isEmpty()) {
        grow(running.get(random.nextInt(running.size())));
        return "grow";
      }
      if (kind < 85) {
        long workerId = 1L + random.nextInt(3);
        index.removeWorker(workerId);
        ranks.remove(workerId);
        lives.merge(workerId, 1, Integer::sum);
        return "gone";
      }
      simulation.runFor(random.nextInt(6));
      return "wait";
    }

    private void decide() {
      long workerId = 1L + random.nextInt(3);
      long first = 1L + random.nextInt(3);
      long second = 1L + random.nextInt(2);
      long[] prompt =
          Arrays.copyOf(new long[] {first, second, first, second, second}, random.nextInt(6));
      DecisionLease lease = ApproximateIndexTest.decide(index, workerId, capacity, prompt.clone());
      if (prompt.length == 0) {
        return;
      }
      List<Held> rank = ranks.computeIfAbsent(workerId, id -> new ArrayList<>());
      List<Held> blocks = new ArrayList<>();
      for (int depth = prompt.length; depth > 0; depth--) {
        List<Long> path = Arrays.stream(prompt, 0, depth).boxed().toList();
        Held held = rank.stream().filter(h -> h.path.equals(path)).findFirst().orElse(null);
        if (held == null) {
          held = new Held(path);
          rank.add(held);
        }
        held.used = simulation.nowNanos();
        held.order = order++;
        held.pins += byRoom ? 1 : 0;
        blocks.add(held);
      }
      if (byRoom) {
        running.add(new Running(workerId, lives.getOrDefault(workerId, 0), blocks, lease));
        makeRoom(workerId);
      }
    }

    private void end(Running request) {
      request.lease.close();
      if (request.life != lives.getOrDefault(request.workerId, 0)) {
        return;
      }
      for (Held held : request.blocks) {
        held.order = order++;
        held.pins--;
      }
      makeRoom(request.workerId);
    }

    private void grow(Running request) {
      request.lease.addOutputBlock();
      request.outputBlocks++;
      makeRoom(request.workerId);
    }

    private void makeRoom(long workerId) {
      List<Held> rank = ranks.getOrDefault(workerId, List.of());
      long output =
          running.stream()
              .filter(r -> r.workerId == workerId)
              .filter(r -> r.life == lives.getOrDefault(workerId, 0))
              .mapToLong(r -> r.outputBlocks)
              .sum();
      while (rank.size() + output > capacity && rank.stream().anyMatch(h -> h.pins == 0)) {
        rank.remove(
            rank.stream()
                .filter(h -> h.pins == 0)
                .min(Comparator.comparingLong(h -> h.order))
                .orElseThrow());
      }
    }

    private void expire() {
      if (!byRoom) {
        long now = simulation.nowNanos();
        ranks.values().forEach(rank -> rank.removeIf(h -> now - h.used >= ttl));
      }
    }

    private Map<WorkerWithDpRank, Integer> expected(long[] query) {
      Map<WorkerWithDpRank, Integer> expected = new TreeMap<>();
      ranks.forEach(
          (workerId, rank) -> {
            int depth = 0;
            while (depth < query.length && holds(rank, query, depth + 1)) {
              depth++;
            }
            if (depth > 0) {
              expected.put(WorkerWithDpRank.of(workerId), depth);
            }
          });
      return expected;
    }

    private static boolean holds(List<Held> rank, long[] query, int depth) {
      List<Long> path = Arrays.stream(query, 0, depth).boxed().toList();
      return rank.stream().anyMatch(h -> h.path.equals(path));
    }
  }

  @Test
  void shouldAgreeWithTheReferenceWhenTimeDecides() {
    for (long seed = 1; seed <= RUNS; seed++) {
      assertThat(new Run(seed, false, TTL).difference()).as("seed=%d", seed).isNull();
    }
  }

  @Test
  void shouldAgreeWithTheReferenceWhenRoomDecides() {
    for (long seed = 1; seed <= RUNS; seed++) {
      assertThat(new Run(seed, true, TTL).difference()).as("seed=%d", seed).isNull();
    }
  }

  @Test
  void shouldCatchAnIndexThatForgetsTooEarly() {
    assertThat(new Run(1, false, TTL + 1).difference()).isNotNull();
  }
}
