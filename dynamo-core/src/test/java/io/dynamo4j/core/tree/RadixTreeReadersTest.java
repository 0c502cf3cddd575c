// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.ReaderRace;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readers on other threads beside the writer, each answer held against the reference. */
class RadixTreeReadersTest {
  private static final int READERS = 2;
  private static final int EVENTS = 400;
  private static final int ROUNDS = 32;
  private static final List<Hashes> KINDS = List.of(Hashes.values());

  private final ExecutorService threads = Executors.newFixedThreadPool(READERS);

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  @Test
  void shouldNeverScoreAboveAMomentWhenReadBesideTheWriter() throws Exception {
    ReaderRace.Tally all = new ReaderRace.Tally();
    for (int round = 0; round < ROUNDS; round++) {
      RadixTree tree = HolderForms.treeOf(round, HolderForms.of(round / KINDS.size()));
      all.add(race(tree, round));
      tree.checkInvariants();
    }
    assertThat(all.undisturbed()).as("%s", all).isPositive();
    assertThat(all.disturbed()).as("%s", all).isPositive();
    // Lower than what was held throughout only where a change outlasted every retry.
    assertThat(all.tooLow()).as("%s", all).isLessThan(all.lookups() / 2);
  }

  private ReaderRace.Tally race(RadixTree tree, int round) throws Exception {
    Hashes hashes = KINDS.get(round % KINDS.size());
    return ReaderRace.of(tree, tree::version, EventStreams.of(round, hashes, EVENTS))
        .run(threads, READERS);
  }
}
