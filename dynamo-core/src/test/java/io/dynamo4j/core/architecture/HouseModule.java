// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The modules with production classes: their packages, the arrows between them, what each may use from outside. */
public enum HouseModule {
  CORE(packages("io.dynamo4j.core", "io.dynamo4j.plane", "io.dynamo4j.blocking"), modules()),
  TESTKIT(
      packages("io.dynamo4j.testkit"),
      modules(CORE),
      "org.junit.jupiter",
      "org.opentest4j",
      "net.jqwik",
      "org.assertj",
      "org.reactivestreams"),
  WIRE(packages("io.dynamo4j.wire"), modules(CORE), "org.msgpack", "com.fasterxml.jackson.core"),
  INDEXER(packages("io.dynamo4j.indexer"), modules(CORE, WIRE), "org.slf4j"),
  KVROUTER(packages("io.dynamo4j.kvrouter"), modules(CORE, WIRE, INDEXER), "org.slf4j"),
  MIGRATION(packages("io.dynamo4j.migration"), modules(CORE), "org.slf4j"),
  SIMULATION(
      packages("io.dynamo4j.simulation"),
      modules(CORE, TESTKIT, WIRE, INDEXER, KVROUTER, MIGRATION),
      "com.fasterxml.jackson.core");

  private final List<String> packages;
  private final List<HouseModule> dependencies;
  private final List<String> libraries;

  HouseModule(List<String> packages, List<HouseModule> dependencies, String... libraries) {
    this.packages = packages;
    this.dependencies = dependencies;
    this.libraries = List.of(libraries);
  }

  /** Returns the root packages, each with all below it. */
  public List<String> packages() {
    return packages;
  }

  /** Returns what the module's classes may refer to, as package patterns of ArchUnit. */
  String[] allowedPackages() {
    List<String> allowed = new ArrayList<>(List.of("java..", "org.jspecify.."));
    allowed.addAll(patterns(packages));
    dependencies.forEach(dependency -> allowed.addAll(patterns(dependency.packages)));
    allowed.addAll(patterns(libraries));
    return allowed.toArray(String[]::new);
  }

  /** Imports the main classes of the module whose tests are running. */
  JavaClasses mainClasses() {
    return new ClassFileImporter()
        .withImportOption(location -> !location.contains("/test-classes/"))
        .withImportOption(location -> !location.contains("-tests.jar"))
        .withImportOption(location -> !location.matches(java.util.regex.Pattern.compile(".*(package|module)-info\\.class")))
        .importPackages(packages.toArray(String[]::new));
  }

  private static List<String> patterns(List<String> packages) {
    return packages.stream().map(name -> name + "..").toList();
  }

  private static List<String> packages(String... names) {
    return List.of(names);
  }

  private static List<HouseModule> modules(HouseModule... modules) {
    return Arrays.asList(modules);
  }
}
