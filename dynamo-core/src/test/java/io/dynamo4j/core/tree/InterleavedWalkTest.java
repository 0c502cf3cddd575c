// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.core.testing.ReaderOracle;
import io.dynamo4j.core.tree.InterleavedWalk.Fault;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lookups during which the writer goes on, on one thread: every run the same. */
class InterleavedWalkTest {
  private static final int STEPS = 120;
  private static final int SEEDS = 600;
  private static final int PLANTED_SEEDS = 1_000;

  @ParameterizedTest
  @EnumSource(Hashes.class)
  void shouldNeverScoreAboveAMomentWhenTheWriterGoesOnMeanwhile(Hashes hashes) {
    for (long seed = 0; seed < SEEDS; seed++) {
      new Play(seed, hashes, Fault.NONE, Integer.MAX_VALUE).run();
    }
  }

  @ParameterizedTest
  @EnumSource(Hashes.class)
  void shouldFindAllThatIsHeldThroughoutWhenRetriesDoNotRunOut(Hashes hashes) {
    int disturbed = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Play play = new Play(seed, hashes, Fault.NONE, 2);
      play.run();
      assertThat(play.tooLow).as("seed=%d", seed).isZero();
      disturbed += play.disturbed;
    }
    assertThat(disturbed).isPositive();
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void shouldCatchAReaderThatLeavesAPlantedCheckOut(Fault fault) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < PLANTED_SEEDS; seed++) {
                for (Hashes hashes : Hashes.values()) {
                  new Play(seed, hashes, fault, Integer.MAX_VALUE).run();
                }
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no moment allows this answer");
  }

  /** One stream, applied partly between lookups and partly within them. */
  private static final class Play {
    private final List<IndexStep> steps;
    private final ReaderOracle oracle;
    private final RandomSource random;
    private final RadixTree tree;
    private final int mostWithin;
    private int done;
    private int within;
    private int disturbed;
    private int tooLow;

    /**
     * Makes a play.
     *
     * @param mostWithin steps within one lookup
     */
    Play(long seed, Hashes hashes, Fault fault, int mostWithin) {
      this.steps = EventStreams.of(seed, hashes, STEPS);
      this.oracle = ReaderOracle.of(steps);
      this.random = RandomSource.seeded(seed);
      this.tree = InterleavedWalk.treeWith(seed, HolderForms.of(seed), this::maybeStep, fault);
      this.mostWithin = mostWithin;
    }

    private void maybeStep() {
      if (within < mostWithin && done < steps.size() && random.nextInt(3) > 0) {
        within++;
        steps.get(done++).applyTo(tree);
      }
    }

    void run() {
      OverlapScores out = OverlapScores.create();
      while (done < steps.size()) {
        int query = random.nextInt(ReaderOracle.queries());
        within = 0;
        int from = done;
        int[] scores = oracle.scores(tree, query, out);
        if (from == done) {
          oracle.requireExact(scores, query, done);
        } else {
          disturbed++;
          oracle.requireNotAboveAMoment(scores, query, from, done);
          tooLow += oracle.isTooLow(scores, query, from, done) ? 1 : 0;
        }
        if (random.nextInt(2) == 0 && done < steps.size()) {
          steps.get(done++).applyTo(tree);
        }
        tree.checkInvariants();
      }
    }
  }
}
