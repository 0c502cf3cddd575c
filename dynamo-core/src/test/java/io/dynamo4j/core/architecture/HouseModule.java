// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One module with production classes: its packages, its arrows, what it may use from outside.
 *
 * @param packages the root packages, each with all below it
 * @param dependencies the modules that it may know
 * @param libraries root packages of third parties
 */
public record HouseModule(
    String name, List<String> packages, List<HouseModule> dependencies, List<String> libraries) {

  private static final String SLF4J = "org.slf4j";
  private static final String JACKSON = "com.fasterxml.jackson.core";
  private static final Pattern INFO_CLASS = Pattern.compile(".*(package|module)-info\\.class");

  public static final HouseModule CORE =
      new HouseModule(
          "dynamo-core",
          List.of("io.dynamo4j.core", "io.dynamo4j.plane", "io.dynamo4j.blocking"),
          List.of(),
          List.of());
  public static final HouseModule TESTKIT =
      new HouseModule(
          "dynamo-testkit",
          List.of("io.dynamo4j.testkit"),
          List.of(CORE),
          List.of("org.junit.jupiter", "org.opentest4j", "net.jqwik", "org.assertj"));
  public static final HouseModule WIRE =
      new HouseModule("dynamo-wire", List.of("io.dynamo4j.wire"), List.of(CORE), List.of(JACKSON));
  public static final HouseModule INDEXER =
      new HouseModule(
          "dynamo-indexer", List.of("io.dynamo4j.indexer"), List.of(CORE, WIRE), List.of(SLF4J));
  public static final HouseModule KVROUTER =
      new HouseModule(
          "dynamo-kvrouter",
          List.of("io.dynamo4j.kvrouter"),
          List.of(CORE, WIRE, INDEXER),
          List.of(SLF4J));
  public static final HouseModule MIGRATION =
      new HouseModule(
          "dynamo-migration", List.of("io.dynamo4j.migration"), List.of(CORE), List.of(SLF4J));
  public static final HouseModule TRANSPORT_TCP =
      new HouseModule(
          "dynamo-transport-tcp",
          List.of("io.dynamo4j.transport.tcp"),
          List.of(CORE, WIRE),
          List.of(SLF4J, "io.netty"));
  public static final HouseModule TRANSPORT_ZMQ =
      new HouseModule(
          "dynamo-transport-zmq",
          List.of("io.dynamo4j.transport.zmq"),
          List.of(CORE, WIRE),
          List.of(SLF4J, "org.zeromq"));
  public static final HouseModule TRANSPORT_NATS =
      new HouseModule(
          "dynamo-transport-nats",
          List.of("io.dynamo4j.transport.nats"),
          List.of(CORE, WIRE, TRANSPORT_TCP),
          List.of(SLF4J, "io.nats"));
  public static final HouseModule DISCOVERY =
      new HouseModule(
          "dynamo-discovery", List.of("io.dynamo4j.discovery"), List.of(CORE, WIRE), List.of());
  public static final HouseModule MICROMETER =
      new HouseModule(
          "dynamo-micrometer",
          List.of("io.dynamo4j.micrometer"),
          List.of(CORE, INDEXER, KVROUTER, MIGRATION, TRANSPORT_TCP, TRANSPORT_ZMQ, TRANSPORT_NATS),
          List.of("io.micrometer"));
  public static final HouseModule TESTKIT_CONTRACTS =
      new HouseModule(
          "dynamo-testkit-contracts",
          List.of("io.dynamo4j.testkit.contracts"),
          List.of(CORE, TESTKIT, INDEXER, KVROUTER, MIGRATION),
          List.of("org.junit.jupiter", "org.opentest4j", "net.jqwik", "org.assertj"));
  public static final HouseModule SIMULATION =
      new HouseModule(
          "dynamo-simulation",
          List.of("io.dynamo4j.simulation"),
          List.of(CORE, TESTKIT, WIRE, INDEXER, KVROUTER, MIGRATION),
          List.of(JACKSON));

  /** Tells whether others depend on the module, so that its public types are an API. */
  boolean isPublished() {
    return !name.equals(SIMULATION.name);
  }

  /** Tells whether tokens of streams pass through the module. */
  boolean followsTokenStreams() {
    return name.equals(MIGRATION.name) || name.equals(KVROUTER.name);
  }

  /** Returns what the module's classes may refer to, as package patterns of ArchUnit. */
  String[] allowedPackages() {
    List<String> allowed = new ArrayList<>(List.of("java..", "org.jspecify.."));
    allowed.addAll(patterns(packages));
    dependencies.forEach(dependency -> allowed.addAll(patterns(dependency.packages)));
    allowed.addAll(patterns(libraries));
    return allowed.toArray(String[]::new);
  }

  /** Imports the module's main classes from the class path. */
  JavaClasses mainClasses() {
    return new ClassFileImporter()
        .withImportOption(location -> !location.contains("/test-classes/"))
        .withImportOption(location -> !location.contains("-tests.jar"))
        .withImportOption(location -> !location.matches(INFO_CLASS))
        .importPackages(packages.toArray(String[]::new));
  }

  private static List<String> patterns(List<String> packages) {
    return packages.stream().map(name -> name + "..").toList();
  }
}
