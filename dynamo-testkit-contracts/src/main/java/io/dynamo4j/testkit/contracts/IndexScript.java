// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What ranks of a fleet report to an index, one step after the other. Immutable, and prints as Java
 * that a test can hold.
 *
 * @param steps in order
 */
public record IndexScript(List<Step> steps) {
  static final int BLOCK_SIZE = 16;

  public IndexScript {
    steps = List.copyOf(steps);
  }

  /** One thing that an index is told. */
  public sealed interface Step {

    /**
     * Blocks stored by a rank.
     *
     * @param parent hash of the block before the first, or 0 for none
     * @param hashes what the engine calls each block
     * @param locals what each block contains, as a hash; as many
     */
    record Store(WorkerWithDpRank rank, long parent, List<Long> hashes, List<Long> locals)
        implements Step {
      public Store {
        Objects.requireNonNull(rank, "rank");
        hashes = List.copyOf(hashes);
        locals = List.copyOf(locals);
      }
    }

    /** Blocks removed by a rank. */
    record Remove(WorkerWithDpRank rank, List<Long> hashes) implements Step {
      public Remove {
        Objects.requireNonNull(rank, "rank");
        hashes = List.copyOf(hashes);
      }
    }

    /** Everything of a rank cleared. */
    record Clear(WorkerWithDpRank rank) implements Step {
      public Clear {
        Objects.requireNonNull(rank, "rank");
      }
    }

    /** A worker gone, with all of its ranks. */
    record WorkerGone(long workerId) implements Step {}

    /** A rank gone. */
    record RankGone(WorkerWithDpRank rank) implements Step {
      public RankGone {
        Objects.requireNonNull(rank, "rank");
      }
    }
  }

  /**
   * Tells an index all of this and compares, after each step, what it answers to these prompts with
   * what it should know.
   *
   * @param prompts local hashes
   * @throws AssertionError naming the step and the prompt
   */
  public void check(KvIndexerFactory factory, List<long[]> prompts) {
    Simulation simulation = Simulation.builder().seed(1).build();
    KvIndexer index = factory.create(BLOCK_SIZE, simulation.environment("router"));
    ReferenceIndex reference = new ReferenceIndex();
    OverlapScores out = OverlapScores.create();
    for (int i = 0; i < steps.size(); i++) {
      tell(index, reference, steps.get(i), i);
      simulation.await(index.flush());
      for (long[] prompt : prompts) {
        index.findMatches(prompt, prompt.length, out);
        assertThat(scores(out))
            .as("step %s of %s, prompt %s", i, this, Arrays.toString(prompt))
            .isEqualTo(reference.scores(prompt));
      }
    }
    index.close();
  }

  private static void tell(KvIndexer index, ReferenceIndex reference, Step step, int id) {
    if (step instanceof Step.WorkerGone gone) {
      index.removeWorker(gone.workerId());
      reference.removeWorker(gone.workerId());
    } else if (step instanceof Step.RankGone gone) {
      index.removeWorkerDpRank(gone.rank());
      reference.removeRank(gone.rank());
    } else {
      RouterEvent event = event(step, id + 1);
      assertThat(index.submit(event)).as("step %s is taken", id).isTrue();
      reference.apply(event);
    }
  }

  private static RouterEvent event(Step step, int id) {
    if (step instanceof Step.Store store) {
      long[] hashes = array(store.hashes());
      long[] locals = array(store.locals());
      return event(
          store.rank(),
          id,
          store.parent() == 0
              ? KvCacheEventData.Stored.atRoot(hashes, locals)
              : KvCacheEventData.Stored.under(store.parent(), hashes, locals));
    }
    if (step instanceof Step.Remove remove) {
      return event(remove.rank(), id, KvCacheEventData.Removed.of(array(remove.hashes())));
    }
    return event(((Step.Clear) step).rank(), id, KvCacheEventData.Cleared.instance());
  }

  static RouterEvent event(WorkerWithDpRank rank, long id, KvCacheEventData data) {
    return RouterEvent.of(
        rank.workerId(), StorageTier.DEVICE, KvCacheEvent.of(id, rank.dpRank(), data));
  }

  private static long[] array(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).toArray();
  }

  static Map<WorkerWithDpRank, Integer> scores(OverlapScores out) {
    Map<WorkerWithDpRank, Integer> scores = new TreeMap<>();
    for (int i = 0; i < out.size(); i++) {
      assertThat(scores.put(out.worker(i), out.depth(i))).as("rank is named once").isNull();
    }
    return scores;
  }
}
