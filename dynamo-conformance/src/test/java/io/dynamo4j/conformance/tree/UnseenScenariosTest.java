// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.Replay.Deviation;
import io.dynamo4j.conformance.tree.PeerTree.Form;
import io.dynamo4j.conformance.tree.TreeScenario.Action;
import io.dynamo4j.conformance.tree.TreeScenario.Query;
import io.dynamo4j.conformance.tree.TreeScenario.Step;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The rules on scenarios that nobody recorded: random ones, the peer's answers being those that the
 * model predicts. Ours must equal the exact reference in all, each difference from the peer must be
 * of a class, and the class must be one that the scenario has room for.
 */
class UnseenScenariosTest {
  private static final int SCENARIOS = 400;
  private static final int STEPS = 12;

  /** What a scenario may hold. */
  private record Shape(int ranks, boolean removes, boolean foreign) {}

  @Test
  void shouldCallNoDifferenceWhereAllHashAlikeAndNothingIsRemoved() {
    assertThat(classes(new Shape(3, false, false), true)).isEmpty();
    assertThat(classes(new Shape(3, false, false), false)).isEmpty();
  }

  @Test
  void shouldNeitherCountHoldersNorFindForeignHashesWhereThereIsOneRank() {
    assertThat(classes(new Shape(1, true, false), true))
        .doesNotContainKeys(TreeReplay.HOLDERS_COUNTED, TreeReplay.FOREIGN_HASH);
  }

  @Test
  void shouldCallNothingForeignWhereAllHashAlike() {
    assertThat(classes(new Shape(3, true, false), true))
        .doesNotContainKey(TreeReplay.FOREIGN_HASH)
        .containsKey(TreeReplay.HOLDERS_COUNTED)
        .containsKey(TreeReplay.SHARED_STATE);
  }

  @Test
  void shouldFindOnlyForeignHashesToBlameWhereNothingIsRemoved() {
    assertThat(classes(new Shape(3, false, true), true))
        .containsKey(TreeReplay.FOREIGN_HASH)
        .doesNotContainKey(TreeReplay.SHARED_STATE);
  }

  @Test
  void shouldNeverBlameCountedHoldersOfTheSingleTree() {
    assertThat(classes(new Shape(3, true, true), false))
        .doesNotContainKey(TreeReplay.HOLDERS_COUNTED);
  }

  @Test
  void shouldCallAnAnswerAFaultThatNeitherTheModelNorTheReferenceGives() {
    int wrong = 0;
    for (long seed = 0; seed < 50; seed++) {
      Scenario scenario = new Scenario(seed, new Shape(3, true, true), true);
      for (Query query : scenario.steps.get(STEPS - 1).queries()) {
        query.scores().merge(new WorkerWithDpRank(9, 9), 1, Integer::sum);
      }
      assertThat(scenario.replay().faults()).as("seed=%d", seed).isNotEmpty();
      wrong++;
    }
    assertThat(wrong).isEqualTo(50);
  }

  private static Map<String, Integer> classes(Shape shape, boolean concurrent) {
    Map<String, Integer> classes = new TreeMap<>();
    for (long seed = 0; seed < SCENARIOS; seed++) {
      Replay replay = new Scenario(seed, shape, concurrent).replay();
      assertThat(replay.faults()).as("seed=%d, shape=%s", seed, shape).isEmpty();
      replay.deviations().stream()
          .map(Deviation::rule)
          .distinct()
          .forEach(rule -> classes.merge(rule, 1, Integer::sum));
    }
    return classes;
  }

  /** A random scenario with the answers that the peer is predicted to give. */
  private static final class Scenario {
    private final List<Step> steps = new ArrayList<>();
    private final RandomSource random;
    private final Shape shape;
    private final boolean concurrent;
    // What each rank stored, to be named again.
    private final Map<WorkerWithDpRank, List<Block>> stored = new TreeMap<>();

    Scenario(long seed, Shape shape, boolean concurrent) {
      this.random = RandomSource.seeded(seed);
      this.shape = shape;
      this.concurrent = concurrent;
      PeerTree single = new PeerTree(Form.SINGLE);
      PeerTree peer = new PeerTree(concurrent ? Form.CONCURRENT : Form.SINGLE);
      for (int i = 0; i < STEPS; i++) {
        Action action = action();
        Outcome outcome = action.on(single);
        if (peer != single) {
          action.on(peer);
        }
        List<Query> queries = new ArrayList<>();
        for (int j = 0; j < 4; j++) {
          List<Long> locals = locals();
          SortedMap<WorkerWithDpRank, Integer> answer = new TreeMap<>(peer.find(locals));
          queries.add(new Query(locals, answer, null));
        }
        steps.add(new Step(action, outcome, queries));
      }
    }

    Replay replay() {
      return TreeReplay.of(new TreeScenario(steps), concurrent);
    }

    private Action action() {
      WorkerWithDpRank worker = new WorkerWithDpRank(1 + random.nextInt(shape.ranks), 0);
      List<Block> known = stored.computeIfAbsent(worker, w -> new ArrayList<>());
      if (shape.removes && !known.isEmpty() && random.nextInt(3) == 0) {
        List<Long> removed = List.of(known.get(random.nextInt(known.size())).external());
        return index -> index.remove(worker, removed);
      }
      List<Block> chain = chain(worker);
      known.addAll(chain);
      return index -> index.store(worker, null, chain);
    }

    /** A chain from the root; a hash is a function of the path, and of the rank if foreign. */
    private List<Block> chain(WorkerWithDpRank worker) {
      List<Block> chain = new ArrayList<>();
      long hash = shape.foreign ? worker.workerId() : 0;
      for (long local : locals()) {
        hash = hash * 31 + local + 1_000;
        chain.add(new Block(local, hash));
      }
      return chain;
    }

    private List<Long> locals() {
      List<Long> locals = new ArrayList<>();
      int length = 1 + random.nextInt(5);
      for (int i = 0; i < length; i++) {
        locals.add(10L * i + random.nextInt(2));
      }
      return locals;
    }
  }
}
