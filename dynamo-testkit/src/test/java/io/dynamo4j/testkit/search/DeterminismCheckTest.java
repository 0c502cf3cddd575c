// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.testkit.search.TraceDifference.Rerun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each planted leak is seen by the rerun that can see it, and nothing is seen where none is. */
class DeterminismCheckTest {

  private static List<ScenarioSpec> specs() {
    List<ScenarioSpec> specs = new ArrayList<>();
    for (long seed = 0; seed < 5; seed++) {
      specs.add(
          ScenarioSpec.of(seed, 11, 100)
              .withFaults(List.of(new FaultSpec("crash", "request:3", "any", 0.75))));
    }
    return specs;
  }

  @Test
  void shouldFindNoDifferenceWhenNothingLeaks() throws IOException {
    assertThat(DeterminismCheck.of(ToyScenarioRunner.class).check(specs())).isEmpty();
  }

  @Test
  void shouldFindRealTimeByBothReruns() throws IOException {
    DeterminismCheck check = DeterminismCheck.of(ToyScenarioRunner.ReadsRealTime.class);
    assertThat(check.checkInThisJvm(specs())).hasSizeGreaterThanOrEqualTo(4);
    assertThat(check.checkInFreshJvm(specs())).hasSizeGreaterThanOrEqualTo(4);
  }

  @Test
  void shouldFindIdentityHashesByBothReruns() throws IOException {
    DeterminismCheck check = DeterminismCheck.of(ToyScenarioRunner.IteratesIdentityHashes.class);
    assertThat(check.checkInThisJvm(specs())).hasSizeGreaterThanOrEqualTo(4);
    assertThat(check.checkInFreshJvm(specs())).hasSizeGreaterThanOrEqualTo(4);
  }

  @Test
  void shouldFindSaltedSetsByTheFreshJvmOnly() throws IOException {
    DeterminismCheck check = DeterminismCheck.of(ToyScenarioRunner.IteratesSaltedSet.class);
    assertThat(check.checkInThisJvm(specs())).isEmpty();
    // Two JVMs draw the same of about 200 orders now and then; three pairs in a row do not.
    List<TraceDifference> differences = check.checkInFreshJvm(specs());
    for (int i = 0; i < 2 && differences.isEmpty(); i++) {
      differences = check.checkInFreshJvm(specs());
    }
    assertThat(differences)
        .hasSize(5)
        .allSatisfy(difference -> assertThat(difference.rerun()).isEqualTo(Rerun.FRESH_JVM));
  }

  @Test
  void shouldNameTheFirstIntervalThatDiffers() {
    TraceDifference difference =
        DeterminismCheck.of(ToyScenarioRunner.ReadsRealTime.class).checkInThisJvm(specs()).get(0);
    // Request 40 arrives as event 81; checkpoints are 16 events apart.
    assertThat(difference.firstEvent()).isEqualTo(81);
    assertThat(difference.lastEvent()).isEqualTo(96);
    assertThat(difference.rerun()).isEqualTo(Rerun.SAME_JVM);
  }

  @Test
  void shouldRefuseRunnerThatCannotBeMadeAnew() {
    ScenarioRunner lambda = spec -> new ToyScenarioRunner().run(spec);
    assertThatThrownBy(() -> DeterminismCheck.of(lambda.getClass()).check(specs()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("public constructor");
  }
}
