// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import static io.dynamo4j.core.architecture.RuleAssert.assertRule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ModuleRulesTest {

  private static final HouseModule FIXTURES =
      new HouseModule(
          "fixtures", List.of("io.dynamo4j.core.architecture.fixture"), List.of(), List.of());

  static Stream<Arguments> rulesWithFixtures() {
    return Stream.of(
        arguments(ModuleRules.TREES_KNOW_NO_PLANE, "TreeWithPlane"),
        arguments(ModuleRules.PLANES_KNOW_NO_TREE, "PlaneWithHash"),
        arguments(ModuleRules.NO_INTERNALS_IN_SIGNATURES, "Apis$Internals"),
        arguments(ModuleRules.NO_THIRD_PARTY_IN_SIGNATURES, "Apis$ThirdParty"),
        arguments(ModuleRules.TOKENS_STAY_IN_SLICES, "Apis$TokenLists"),
        arguments(ModuleRules.LONGS_ARE_NOT_BOXED, "Apis$BoxedLongs"),
        arguments(ModuleRules.NO_PRINTING, "Apis$Printing"));
  }

  @ParameterizedTest
  @MethodSource("rulesWithFixtures")
  void shouldCatchEveryBreach(ArchRule rule, String fixture) {
    assertRule(rule).catchesEveryMethodOf(fixture);
  }

  @Test
  void shouldCatchOpenClass() {
    assertRule(ModuleRules.API_CLASSES_ARE_CLOSED).catches("Apis$Open");
  }

  @Test
  void shouldCatchVisibleConstructor() {
    assertRule(ModuleRules.CONSTRUCTORS_ARE_HIDDEN).catches("Apis$VisibleConstructor");
  }

  @Test
  void shouldCatchUseOfModuleWithoutArrow() {
    ArchRule arrows = ModuleRules.arrowsOf(FIXTURES);

    assertRule(arrows).catches("Exempt");
    assertRule(arrows).catches("Apis$ThirdParty");
    assertRule(arrows).accepts("Clean");
  }

  @Test
  void shouldKeepRouterAndMigrationApart() {
    assertThat(HouseModule.MIGRATION.allowedPackages())
        .doesNotContain("io.dynamo4j.kvrouter..", "io.dynamo4j.indexer..", "io.dynamo4j.wire..");
    assertThat(HouseModule.KVROUTER.allowedPackages()).doesNotContain("io.dynamo4j.migration..");
    assertThat(HouseModule.CORE.libraries()).isEmpty();
  }

  static Stream<ArchRule> rules() {
    return Stream.of(
            ModuleRules.everywhere(),
            ModuleRules.ofPublishedModules(),
            ModuleRules.ofTokenStreams())
        .flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldAcceptCleanApi(ArchRule rule) {
    assertRule(rule).accepts("Clean");
  }
}
