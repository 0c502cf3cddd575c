// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Every rule over the main classes of one module; each module extends it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ArchitectureContract {

  private static final Path SOURCES = Path.of("src", "main", "java");

  private final HouseModule module;
  private final JavaClasses mainClasses;

  protected ArchitectureContract(HouseModule module) {
    this.module = module;
    this.mainClasses = module.mainClasses();
  }

  @Test
  void shouldHaveClassesToLookAt() {
    assertThat(mainClasses).isNotEmpty();
  }

  @TestFactory
  Stream<DynamicTest> shouldKeepEveryRule() {
    List<ArchRule> rules = new ArrayList<>(SimulationRules.all());
    rules.addAll(ModuleRules.everywhere());
    if (module.isPublished()) {
      rules.addAll(ModuleRules.ofPublishedModules());
    }
    if (module.followsTokenStreams()) {
      rules.addAll(ModuleRules.ofTokenStreams());
    }
    rules.add(ModuleRules.arrowsOf(module));
    return rules.stream()
        .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(mainClasses)));
  }

  @Test
  void shouldDocumentEveryPublicType() {
    assertThat(Sources.withoutDocumentation(SOURCES)).isEmpty();
  }

  @Test
  void shouldMarkEveryPackageForNullness() {
    assertThat(Sources.withoutNullMark(SOURCES)).isEmpty();
  }
}
