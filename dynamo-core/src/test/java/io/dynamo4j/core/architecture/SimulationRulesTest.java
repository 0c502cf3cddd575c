// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import static io.dynamo4j.core.architecture.RuleAssert.assertRule;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationRulesTest {

  static Stream<Arguments> rulesWithFixtures() {
    return Stream.of(
        arguments(SimulationRules.NO_REAL_TIME, "Leaks$RealTime"),
        arguments(SimulationRules.NO_THREADS, "Threads$OwnThreads"),
        arguments(SimulationRules.NO_DEFAULT_EXECUTOR, "Threads$DefaultExecutor"),
        arguments(SimulationRules.NO_STATIC_TIMER, "Threads$StaticTimer"),
        arguments(SimulationRules.NO_SUBMISSION_PUBLISHER, "Threads$Publisher"),
        arguments(SimulationRules.NO_WAITING, "Threads$Waiting"),
        arguments(SimulationRules.NO_UNSEEDED_CHANCE, "Leaks$UnseededChance"),
        arguments(SimulationRules.NO_SALTED_ORDER, "Leaks$SaltedOrder"),
        arguments(SimulationRules.NO_HASH_ORDER, "Leaks$HashOrder"),
        arguments(SimulationRules.NO_IDENTITY, "Leaks$Identity"),
        arguments(SimulationRules.NO_MACHINE, "Leaks$Machine"));
  }

  @ParameterizedTest
  @MethodSource("rulesWithFixtures")
  void shouldCatchCallsAndMethodReferences(ArchRule rule, String fixture) {
    assertRule(rule).catchesEveryMethodOf(fixture);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Statics$Counter",
        "Statics$AtomicCounter",
        "Statics$Registry",
        "Statics$Pool",
        "Statics$SharedArray",
        "Statics$OwnMutable"
      })
  void shouldCatchMutableStatics(String fixture) {
    assertRule(SimulationRules.NO_STATIC_STATE).catches(fixture);
  }

  @Test
  void shouldCatchThreadLocals() {
    assertRule(SimulationRules.NO_THREAD_LOCAL).catches("Statics$Local");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Threads$Monitor", "Threads$OnlyBlock"})
  void shouldCatchMonitors(String fixture) {
    assertRule(SimulationRules.NO_MONITORS).catches(fixture);
  }

  @Test
  void shouldAcceptWaitingWhenPackageIsNamedBlocking() {
    assertRule(SimulationRules.NO_WAITING).accepts("Adapter");
    assertRule(SimulationRules.NO_THREADS).accepts("Adapter");
  }

  @Test
  void shouldAcceptHashTableWhenOrderIsIrrelevant() {
    assertRule(SimulationRules.NO_HASH_ORDER).accepts("Exempt", "Exempt$Nested");
  }

  static Stream<ArchRule> rules() {
    return SimulationRules.all().stream();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldAcceptAllowedNeighbours(ArchRule rule) {
    assertRule(rule).accepts("Clean");
  }
}
