// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.IndexComparison;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.core.testing.JcstressRun;
import io.dynamo4j.core.testing.ReferenceIndex;
import io.dynamo4j.core.testing.SoakFacts;
import io.dynamo4j.core.tree.ApplyResult.Outcome;
import io.dynamo4j.core.tree.TreeSoak;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The proofs of core, long: what {@code bin/bench soak-core} runs. Writes what it has seen, and
 * fails where something that should be seen sometimes never was.
 */
class CoreSoak {
  private static final boolean QUICK = Boolean.getBoolean("dynamo4j.soak.quick");
  private static final long SEED = Long.getLong("dynamo4j.soak.seed", 1);
  private static final int STREAM = 120;

  private final SortedMap<String, Long> facts = new TreeMap<>();

  @AfterEach
  void writeFacts() {
    SoakFacts.write(facts);
  }

  private static int times(int quick, int full) {
    return QUICK ? quick : full;
  }

  private void requireSeen(String fact) {
    assertThat(facts.getOrDefault(fact, 0L)).as("never seen: %s", fact).isPositive();
  }

  @Test
  void shouldPublishInOrder(@TempDir Path folder) throws IOException, InterruptedException {
    JcstressRun run = JcstressRun.of(folder, JcstressRun.ALL_OF_CORE, times(200, 5_000));
    facts.put("jcstress configurations passed", (long) run.passed());
    facts.put("jcstress planted faults found", (long) run.failedTests().size());

    assertThat(run.errors()).as(run.text()).isZero();
    assertThat(run.failedTests()).as(run.text()).isEqualTo(JcstressRun.PLANTED_FAULTS);
    requireSeen("jcstress configurations passed");
  }

  @Test
  void shouldHoldTheContractOfReaders(@TempDir Path folder)
      throws IOException, InterruptedException {
    int scenarios = times(1, 60);
    String text = TreeSoak.lincheck(folder, times(50, 400), scenarios);
    facts.put("lincheck random scenarios", (long) scenarios);

    assertThat(text).as(text).isNull();
  }

  @Test
  void shouldHoldTheContractOfReadersInRaces() throws Exception {
    facts.putAll(TreeSoak.races(SEED, times(20, 3_000)));

    requireSeen("race lookups undisturbed");
    requireSeen("race lookups disturbed");
  }

  @Test
  void shouldKeepWithinAMebibyteOfAFreshTree(@TempDir Path folder)
      throws IOException, InterruptedException {
    for (int round = 0; round < times(1, 3); round++) {
      SortedMap<String, Long> seen =
          TreeSoak.churn(folder, times(1_000_000, 10_000_000), SEED + round);
      seen.forEach((name, value) -> facts.merge(name, value, Math::max));
    }
    assertThat(facts.get("churn bytes kept")).isLessThan(1L << 20);
    requireSeen("churn operations");
  }

  @Test
  void shouldAgreeWithTheReference() {
    IndexComparison comparison =
        IndexComparison.of(() -> TreeSoak.tree(SEED), TreeSoak::checkInvariants);
    for (long seed = SEED; seed < SEED + times(5, 1_500); seed++) {
      for (Hashes hashes : Hashes.values()) {
        assertThat(comparison.compare(seed, hashes, STREAM)).isNull();
        ReferenceIndex reference = ReferenceIndex.create();
        for (IndexStep step : EventStreams.of(seed, hashes, STREAM)) {
          String outcome = step.applyTo(reference);
          if (outcome != null) {
            String name = outcome.replaceAll(".*outcome=(\\w+).*", "$1");
            facts.merge("stream outcome " + name, 1L, Long::sum);
          }
        }
      }
    }
    for (Outcome outcome : Outcome.values()) {
      if (outcome != Outcome.OUT_OF_CAPACITY) { // without bounds
        requireSeen("stream outcome " + outcome);
      }
    }
  }
}
