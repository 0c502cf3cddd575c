// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** What is drawn reaches every kind of worker and of end, and shows each planted mistake. */
class MigrationArbitrariesTest {
  private static final int CASES = 150;

  /** Show only when a worker drains or a client is in a hurry, which no case is about. */
  private static final EnumSet<PlantedMigrator> NOT_IN_ANSWERS =
      EnumSet.of(
          PlantedMigrator.FIRST_TOKEN_NOT_RACED_FOR,
          PlantedMigrator.DRAIN_IGNORED,
          PlantedMigrator.DRAIN_NOT_WAITED_FOR,
          PlantedMigrator.DRAIN_WITHOUT_END);

  @Provide
  Arbitrary<List<MigrationCase>> manyCases() {
    return MigrationArbitraries.cases().list().ofSize(CASES);
  }

  @Property(tries = 1, seed = "1", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void shouldDrawEveryKindOfWorkerAndEnd(@ForAll("manyCases") List<MigrationCase> drawn) {
    Set<Class<?>> fates = new LinkedHashSet<>();
    drawn.forEach(each -> each.workers().forEach(worker -> fates.add(worker.getClass())));
    assertThat(fates).containsAll(List.of(WorkerFate.class.getPermittedSubclasses()));
    assertThat(drawn)
        .anyMatch(each -> ExpectedAnswer.of(each).isCompleted())
        .anyMatch(each -> !ExpectedAnswer.of(each).isCompleted())
        .anyMatch(each -> ExpectedAnswer.of(each).deliveredAtDispatch().size() > 3)
        .anyMatch(each -> each.cancelsAfter() == 0)
        .anyMatch(each -> each.window() == 1);
  }

  @Property(tries = 1, seed = "2", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void shouldDrawCasesThatCatchEveryPlantedMigrator(
      @ForAll("manyCases") List<MigrationCase> drawn) {
    Set<PlantedMigrator> missed = EnumSet.complementOf(NOT_IN_ANSWERS);
    missed.removeIf(planted -> drawn.stream().anyMatch(each -> fails(each, planted)));
    assertThat(missed).containsExactly(PlantedMigrator.RIGHT);
  }

  private static boolean fails(MigrationCase drawn, PlantedMigrator planted) {
    try {
      drawn.check(planted);
      return false;
    } catch (AssertionError caught) {
      return true;
    }
  }
}
