// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.WorkerHealth.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Compares {@link WorkerHealth} step by step with a memory made of plain collections. */
class WorkerHealthPropertyTest {
  private static final long INHIBITION = 50;
  private static final long PROBE = 120;
  // Unsigned order differs from signed order, and the clock passes its own overflow.
  private static final long[] WORKERS = {1, Long.MAX_VALUE, -2};
  private static final long START = Long.MAX_VALUE - 300;

  @Property(tries = 300)
  void shouldAgreeWithPlainModel(@ForAll long seed) {
    compare(seed, Subject::of);
  }

  @Example
  void shouldCatchBrokenMemories() {
    assertCaught(
        health ->
            new Subject(health) {
              @Override
              boolean tryAdmit(WorkerWithDpRank rank) {
                return health.state(rank).isUsable();
              }
            });
    assertCaught(
        health ->
            new Subject(health) {
              @Override
              void succeed(WorkerWithDpRank rank) {}
            });
    assertCaught(
        health ->
            new Subject(health) {
              @Override
              List<WorkerWithDpRank> usable(List<WorkerWithDpRank> candidates) {
                return candidates.stream().filter(rank -> health.state(rank).isUsable()).toList();
              }
            });
  }

  private static void assertCaught(Function<WorkerHealth, Subject> broken) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < 50; seed++) {
                compare(seed, broken);
              }
            })
        .isInstanceOf(AssertionError.class);
  }

  private static void compare(long seed, Function<WorkerHealth, Subject> subjects) {
    RandomSource random = RandomSource.seeded(seed);
    long[] now = {START};
    NanoClock clock = () -> now[0];
    Subject subject =
        subjects.apply(
            WorkerHealth.builder(clock).inhibitionNanos(INHIBITION).probeNanos(PROBE).build());
    Model model = new Model();
    for (int step = 0; step < 200; step++) {
      now[0] += random.nextInt(4) == 0 ? random.nextInt(80) : 0;
      WorkerWithDpRank rank =
          new WorkerWithDpRank(WORKERS[random.nextInt(WORKERS.length)], random.nextInt(2));
      String action = act(random.nextInt(16), rank, now[0], subject, model);
      check("seed " + seed + ", step " + step + ", " + action, now[0], subject, model);
    }
  }

  private static String act(
      int action, WorkerWithDpRank rank, long now, Subject subject, Model model) {
    switch (action) {
      case 0, 1 -> {
        subject.health.recordFailure(rank, FailureVerdict.WORKER);
        model.fail(Model.key(rank.workerId(), -1), now);
        return "worker failure " + rank;
      }
      case 2, 3 -> {
        subject.health.recordFailure(rank, FailureVerdict.RANK);
        model.fail(Model.key(rank.workerId(), rank.dpRank()), now);
        return "rank failure " + rank;
      }
      case 4 -> {
        subject.succeed(rank);
        model.keys(rank).forEach(model.until::remove);
        return "success " + rank;
      }
      case 5 -> {
        subject.health.drain(rank.workerId());
        model.draining.add(Long.toUnsignedString(rank.workerId()));
        return "drain " + rank;
      }
      case 6 -> {
        subject.health.undrain(rank.workerId());
        model.draining.remove(Long.toUnsignedString(rank.workerId()));
        return "undrain " + rank;
      }
      case 7 -> {
        subject.health.forget(rank.workerId());
        model.forget(rank.workerId());
        return "forget " + rank;
      }
      case 8 -> {
        subject.health.recordFailure(rank, FailureVerdict.IGNORED);
        model.keys(rank).forEach(model.probeUntil::remove);
        return "neutral " + rank;
      }
      default -> {
        assertThat(subject.tryAdmit(rank)).as("admit %s", rank).isEqualTo(model.admit(rank, now));
        return "admit " + rank;
      }
    }
  }

  private static void check(String where, long now, Subject subject, Model model) {
    List<WorkerWithDpRank> all = new ArrayList<>();
    for (long worker : WORKERS) {
      for (int dpRank = 0; dpRank < 2; dpRank++) {
        all.add(new WorkerWithDpRank(worker, dpRank));
      }
    }
    for (WorkerWithDpRank rank : all) {
      assertThat(subject.health.state(rank)).as(where).isEqualTo(model.state(rank, now));
    }
    for (int from = 0; from < all.size(); from++) {
      List<WorkerWithDpRank> candidates = all.subList(from, all.size());
      assertThat(subject.usable(candidates)).as(where).isEqualTo(model.usable(candidates, now));
    }
  }

  /** What is compared; a broken copy overrides a part. */
  private static class Subject {
    final WorkerHealth health;

    Subject(WorkerHealth health) {
      this.health = health;
    }

    static Subject of(WorkerHealth health) {
      return new Subject(health);
    }

    boolean tryAdmit(WorkerWithDpRank rank) {
      return health.tryAdmit(rank);
    }

    void succeed(WorkerWithDpRank rank) {
      health.recordSuccess(rank);
    }

    List<WorkerWithDpRank> usable(List<WorkerWithDpRank> candidates) {
      return health.usable(candidates);
    }
  }

  /** The same rules over text keys: {@code worker/rank}, rank -1 for the whole worker. */
  private static final class Model {
    final Map<String, Long> until = new TreeMap<>();
    final Map<String, Long> probeUntil = new TreeMap<>();
    final TreeSet<String> draining = new TreeSet<>();

    static String key(long workerId, int rank) {
      return Long.toUnsignedString(workerId) + "/" + rank;
    }

    List<String> keys(WorkerWithDpRank rank) {
      return List.of(key(rank.workerId(), -1), key(rank.workerId(), rank.dpRank()));
    }

    void fail(String key, long now) {
      until.put(key, now + INHIBITION);
      probeUntil.remove(key);
    }

    void forget(long workerId) {
      draining.remove(Long.toUnsignedString(workerId));
      until.keySet().removeIf(k -> k.startsWith(Long.toUnsignedString(workerId) + "/"));
    }

    State state(WorkerWithDpRank rank, long now) {
      if (draining.contains(Long.toUnsignedString(rank.workerId()))) {
        return State.DRAINING;
      }
      State worst = State.AVAILABLE;
      for (String key : keys(rank)) {
        Long end = until.get(key);
        if (end == null) {
          probeUntil.remove(key);
          continue;
        }
        Long probe = probeUntil.get(key);
        State state =
            now - end < 0
                ? State.INHIBITED
                : probe != null && now - probe < 0 ? State.PROBING : State.HALF_OPEN;
        worst = state.compareTo(worst) > 0 ? state : worst;
      }
      return worst;
    }

    boolean admit(WorkerWithDpRank rank, long now) {
      State state = state(rank, now);
      if (state == State.HALF_OPEN) {
        for (String key : keys(rank)) {
          if (until.containsKey(key)) {
            probeUntil.put(key, now + PROBE);
          }
        }
      }
      return state == State.AVAILABLE || state == State.HALF_OPEN;
    }

    List<WorkerWithDpRank> usable(List<WorkerWithDpRank> candidates, long now) {
      List<WorkerWithDpRank> good =
          candidates.stream()
              .filter(r -> state(r, now) == State.AVAILABLE || state(r, now) == State.HALF_OPEN)
              .toList();
      return good.isEmpty()
          ? candidates.stream().filter(r -> state(r, now) != State.DRAINING).toList()
          : good;
    }
  }
}
