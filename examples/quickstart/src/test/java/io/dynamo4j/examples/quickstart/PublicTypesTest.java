// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dynamo4j.core.testing.SharedData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Every public type of a published module is used by a command, an example or another module. */
class PublicTypesTest {

  private static final List<String> PUBLISHED =
      List.of(
          "dynamo-core",
          "dynamo-wire",
          "dynamo-indexer",
          "dynamo-kvrouter",
          "dynamo-migration",
          "dynamo-transport-tcp",
          "dynamo-transport-zmq",
          "dynamo-transport-nats",
          "dynamo-discovery",
          "dynamo-micrometer",
          "dynamo-testkit",
          "dynamo-testkit-contracts");

  private static final List<String> UNPUBLISHED =
      List.of(
          "dynamo-simulation",
          "dynamo-conformance",
          "dynamo-benchmarks",
          "examples/engine-events",
          "examples/dynamo-gateway",
          "examples/fleet",
          "examples/metrics",
          "examples/property-tests",
          "examples/quickstart");

  /** Modules without main classes. */
  private static final List<String> TESTS = List.of("dynamo-interop-tests");

  /** Used all the same, or made for code outside of this repository. */
  private static final List<String> JUSTIFIED =
      List.of(
          "io.dynamo4j.discovery.StaticWorkerDirectory", // for hosts that write their workers down
          "io.dynamo4j.wire.WireLimits", // constants, which the compiler copies
          // puts the detokenizer below the migrator, as the package's Javadoc shows
          "io.dynamo4j.migration.text.DetokenizingDispatcher",
          "io.dynamo4j.testkit.search.FaultMix"); // draws faults for a host's own scenarios

  /** Transports extend and wrap these; the testkit's own tests run them on the in-memory planes. */
  private static final List<String> FOR_TRANSPORTS =
      List.of("io.dynamo4j.testkit.contract", "io.dynamo4j.testkit.fault");

  private final Path root = SharedData.repository();

  @Test
  void shouldUseEveryPublicTypeFromOutside() {
    List<Path> published = folders(PUBLISHED, "classes");
    List<Path> users = new ArrayList<>(folders(UNPUBLISHED, "classes"));
    users.addAll(folders(UNPUBLISHED, "test-classes"));
    users.addAll(folders(TESTS, "test-classes"));
    // The testkit is for tests, those of the other published modules included.
    List<Path> tests =
        folders(PUBLISHED.subList(0, PUBLISHED.indexOf("dynamo-testkit")), "test-classes");
    List<Path> all = new ArrayList<>(published);
    all.addAll(users);
    all.addAll(tests);
    JavaClasses classes = new ClassFileImporter().importPaths(all);

    Set<String> reached = new TreeSet<>();
    Deque<JavaClass> open = new ArrayDeque<>();
    for (JavaClass javaClass : classes) {
      if (isIn(javaClass, users)) {
        visit(javaClass, reached, open);
      } else if (isIn(javaClass, tests)) {
        javaClass.getDirectDependenciesFromSelf().stream()
            .map(Dependency::getTargetClass)
            .filter(target -> target.getPackageName().startsWith("io.dynamo4j.testkit"))
            .forEach(target -> visit(target.getBaseComponentType(), reached, open));
      }
    }
    while (!open.isEmpty()) {
      for (Dependency dependency : open.remove().getDirectDependenciesFromSelf()) {
        visit(dependency.getTargetClass().getBaseComponentType(), reached, open);
      }
    }

    assertThat(
            classes.stream()
                .filter(javaClass -> isIn(javaClass, published) && isPublicType(javaClass))
                .filter(javaClass -> !FOR_TRANSPORTS.contains(javaClass.getPackageName()))
                .map(JavaClass::getName)
                .filter(name -> !reached.contains(name)))
        .containsExactlyInAnyOrderElementsOf(JUSTIFIED);
  }

  private List<Path> folders(List<String> modules, String name) {
    List<Path> folders =
        modules.stream().map(root::resolve).map(m -> m.resolve("target/" + name)).toList();
    Assumptions.assumeTrue(
        folders.stream().allMatch(folder -> name.startsWith("test") || Files.isDirectory(folder)),
        "needs the classes of all modules");
    return folders.stream().filter(Files::isDirectory).toList();
  }

  private static void visit(JavaClass javaClass, Set<String> reached, Deque<JavaClass> open) {
    if (javaClass.getName().startsWith("io.dynamo4j") && reached.add(javaClass.getName())) {
      open.add(javaClass);
    }
  }

  private static boolean isIn(JavaClass javaClass, List<Path> folders) {
    Path file = Path.of(javaClass.getSource().orElseThrow().getUri());
    return folders.stream().anyMatch(file::startsWith);
  }

  private static boolean isPublicType(JavaClass javaClass) {
    return javaClass.isTopLevelClass()
        && javaClass.getModifiers().contains(JavaModifier.PUBLIC)
        && !javaClass.getSimpleName().endsWith("-info");
  }
}
