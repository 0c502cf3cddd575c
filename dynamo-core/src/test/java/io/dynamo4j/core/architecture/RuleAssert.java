// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;

/** Checks rules against fixtures. */
final class RuleAssert {

  private static final JavaClasses FIXTURES =
      new ClassFileImporter()
          .importPackages(
              "io.dynamo4j.core.architecture.fixture",
              "io.dynamo4j.core.tree.fixture",
              "io.dynamo4j.plane.fixture");

  private final ArchRule rule;

  private RuleAssert(ArchRule rule) {
    this.rule = rule;
  }

  static RuleAssert assertRule(ArchRule rule) {
    return new RuleAssert(rule);
  }

  /** Returns classes by name: fixtures may be invisible here, and importing loads none of them. */
  static JavaClasses fixtures(String... names) {
    List<String> wanted = List.of(names);
    JavaClasses found =
        FIXTURES.that(
            DescribedPredicate.describe(
                "are asked for",
                javaClass ->
                    wanted.stream().anyMatch(name -> javaClass.getName().endsWith("." + name))));
    assertThat(found).hasSize(names.length);
    return found;
  }

  /** Every method of the fixture is reported, so that nothing hides behind its neighbour. */
  void catchesEveryMethodOf(String fixture) {
    JavaClasses classes = fixtures(fixture);
    List<String> details = rule.evaluate(classes).getFailureReport().getDetails();
    Stream<String> methods =
        classes.stream()
            .flatMap(javaClass -> javaClass.getMethods().stream())
            .filter(method -> !method.getModifiers().contains(JavaModifier.SYNTHETIC))
            .map(method -> simpleName(method.getOwner()) + "." + method.getName() + "(");
    assertThat(methods)
        .isNotEmpty()
        .allSatisfy(method -> assertThat(details).anyMatch(line -> line.contains(method)));
  }

  void catches(String fixture) {
    assertThat(rule.evaluate(fixtures(fixture)).hasViolation())
        .as("violation of '%s' by %s", rule.getDescription(), fixture)
        .isTrue();
  }

  void accepts(String... fixtures) {
    rule.check(fixtures(fixtures));
  }

  private static String simpleName(JavaClass javaClass) {
    return javaClass.getName().substring(javaClass.getPackageName().length() + 1);
  }
}
