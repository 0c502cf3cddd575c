// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.lang.ArchRule;
import io.dynamo4j.core.token.TokenSlice;
import java.util.List;

/** Which way the arrows between modules and packages point, and what an API may show. */
public final class ModuleRules {

  /** Keeps a few departed workers by id, in the order of departure; touched when a worker goes. */
  private static final String DEPARTED_WORKERS = "io.dynamo4j.indexer.FeedState";

  /** Inside core: what holds tokens, hashes and trees knows no plane. */
  public static final ArchRule TREES_KNOW_NO_PLANE =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.dynamo4j.core.tree..",
              "io.dynamo4j.core.token..",
              "io.dynamo4j.core.hash..",
              "io.dynamo4j.core.collect..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.dynamo4j.plane..", "io.dynamo4j.blocking..")
          .because("hashing and indexing are usable without any plane")
          .allowEmptyShould(true);

  /** Inside core: planes carry the model over lanes and know no index. */
  public static final ArchRule PLANES_KNOW_NO_TREE =
      noClasses()
          .that()
          .resideInAPackage("io.dynamo4j.plane..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.dynamo4j.core.tree..", "io.dynamo4j.core.hash..", "io.dynamo4j.blocking..")
          .because("a transport knows messages, not what is made of them")
          .allowEmptyShould(true);

  /** No type of an {@code internal} package in an API signature. */
  public static final ArchRule NO_INTERNALS_IN_SIGNATURES =
      classes()
          .that(Signatures.areApi())
          .should(
              Signatures.showOnly(
                  "types outside of internal packages",
                  type -> !(type.getPackageName() + ".").contains(".internal.")))
          .because("what callers see must stay")
          .allowEmptyShould(true);

  /** Binders exist to bind to a library of the host's. */
  private static final String BINDERS = "io.dynamo4j.micrometer..";

  /** Options of a transport take what the host has made of the transport's library. */
  private static final String TRANSPORT_OPTIONS = "io\\.dynamo4j\\.transport\\..*Options(\\$.*)?";

  /**
   * No third party's type in an API signature; a test harness may show its test framework, a binder
   * what it binds to, a transport's options what the host brings.
   */
  public static final ArchRule NO_THIRD_PARTY_IN_SIGNATURES =
      classes()
          .that(Signatures.areApi())
          .and(DescribedPredicate.not(SimulationRules.areHarness()))
          .and()
          .resideOutsideOfPackage(BINDERS)
          .and()
          .haveNameNotMatching(TRANSPORT_OPTIONS)
          .should(
              Signatures.showOnly(
                  "types of the JDK and of this project",
                  type ->
                      type.isPrimitive()
                          || type.getName().startsWith("java.")
                          || type.getName().startsWith("io.dynamo4j.")))
          .because("a library behind the API can be exchanged")
          .allowEmptyShould(true);

  /** API classes are closed for inheritance unless made for it. */
  public static final ArchRule API_CLASSES_ARE_CLOSED =
      classes()
          .that(Signatures.areApi())
          .should(Signatures.beClosed())
          .because("an open class can never change again")
          .allowEmptyShould(true);

  /** API classes are made by factories and builders. */
  public static final ArchRule CONSTRUCTORS_ARE_HIDDEN =
      classes()
          .that(Signatures.areApi())
          .should(Signatures.hideConstructors())
          .because("a factory has a name and may change what it returns")
          .allowEmptyShould(true);

  /** Hashes and ids are primitive. */
  public static final ArchRule LONGS_ARE_NOT_BOXED =
      classes()
          .that()
          .doNotHaveFullyQualifiedName(DEPARTED_WORKERS)
          .and(DescribedPredicate.not(SimulationRules.areHarness()))
          .should(Signatures.boxNoLongs())
          .because("a hash is a long bit pattern; boxing one costs an object a block")
          .allowEmptyShould(true);

  /** Libraries do not print. */
  public static final ArchRule NO_PRINTING =
      classes()
          .that(DescribedPredicate.not(SimulationRules.areHarness()))
          .should(
              Accesses.avoid(
                  "standard streams and stack traces",
                  access ->
                      (access.getTargetOwner().isEquivalentTo(System.class)
                              && (access.getName().equals("out") || access.getName().equals("err")))
                          || (access.getName().equals("printStackTrace")
                              && access.getTargetOwner().isAssignableTo(Throwable.class)
                              && Accesses.parameters(access).isEmpty())))
          .because("output belongs to the host")
          .allowEmptyShould(true);

  /** Joins prompt and answer for a continuation, and knows the last token. */
  private static final String TOKEN_LEDGER = "io.dynamo4j.migration.TokenLedger";

  /** Hands single tokens to a detokenizer, which decodes a window of the last few. */
  private static final String TEXT_OF_TOKENS =
      "io\\.dynamo4j\\.migration\\.text\\.(ChoiceText|TextItem|WindowDetokenizer)";

  /**
   * Tokens arrive in slices; whoever takes them out could hold them in a list of its own, beside
   * the one in {@code TokenAccumulator}.
   */
  public static final ArchRule TOKENS_STAY_IN_SLICES =
      classes()
          .that()
          .doNotHaveFullyQualifiedName(TOKEN_LEDGER)
          .and()
          .haveNameNotMatching(TEXT_OF_TOKENS)
          .should(
              Accesses.avoid(
                  "taking tokens out of a slice",
                  Accesses.named(
                      TokenSlice.class,
                      "copyTo",
                      "toArray",
                      "backingArray",
                      "backingOffset",
                      "get")))
          .because("the accumulator is the only list of a stream's tokens")
          .allowEmptyShould(true);

  private ModuleRules() {}

  /** Returns the rules that hold everywhere. */
  static List<ArchRule> everywhere() {
    return List.of(TREES_KNOW_NO_PLANE, PLANES_KNOW_NO_TREE, NO_PRINTING);
  }

  /** Returns the rules of modules that others depend on. */
  static List<ArchRule> ofPublishedModules() {
    return List.of(
        NO_INTERNALS_IN_SIGNATURES,
        NO_THIRD_PARTY_IN_SIGNATURES,
        API_CLASSES_ARE_CLOSED,
        CONSTRUCTORS_ARE_HIDDEN,
        LONGS_ARE_NOT_BOXED);
  }

  /** Returns the rules of modules that follow streams of tokens. */
  static List<ArchRule> ofTokenStreams() {
    return List.of(TOKENS_STAY_IN_SLICES);
  }

  /** Returns the rule that classes of {@code module} use nothing but what its arrows allow. */
  public static ArchRule arrowsOf(HouseModule module) {
    return classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(module.allowedPackages())
        .as(
            "classes of "
                + module.name()
                + " should use "
                + String.join(", ", module.allowedPackages()))
        .because("arrows between modules point one way")
        .allowEmptyShould(true);
  }
}
