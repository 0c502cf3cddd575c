// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;

/**
 * Runs a verification of the Reactive Streams TCK as JUnit tests, one for each of its rules.
 *
 * <p>The TCK is written for TestNG; this finds its tests by name, so that only the tests that use
 * it need it on their class path:
 *
 * <pre>{@code
 * @TestFactory
 * List<DynamicTest> shouldKeepRulesOfReactiveStreams() {
 *   return FlowTck.tests(MyPublisherVerification::new, "optional_spec111");
 * }
 * }</pre>
 *
 * <p>Rules that the TCK itself calls untested are left out; one that it skips is reported as
 * aborted.
 */
public final class FlowTck {
  /**
   * Rules that the TCK judges by a single look after a short sleep: for an error (its loop there
   * ends after one turn) and for dropped references. A busy machine may be late for one look, and a
   * publisher that breaks the rule fails them all.
   */
  private static final List<String> JUDGED_BY_ONE_LOOK = List.of("spec309_", "spec313_");

  private static final int LOOKS = 20;

  private FlowTck() {}

  /**
   * Returns a test for each rule, in the order of their names.
   *
   * @param verifications makes a fresh instance of a subclass of {@code FlowPublisherVerification}
   *     for each test; its class must be public
   * @param leftOut how names of optional rules begin that the publisher does not mean to keep
   * @throws IllegalArgumentException if one of {@code leftOut} fits no rule, or one that is
   *     required
   */
  public static List<DynamicTest> tests(Supplier<?> verifications, String... leftOut) {
    List<Method> rules = new ArrayList<>();
    for (Method method : verifications.get().getClass().getMethods()) {
      if (isAnnotated(method, "org.testng.annotations.Test")
          && !method.getName().startsWith("untested_")) {
        rules.add(method);
      }
    }
    rules.sort(Comparator.comparing(Method::getName));
    for (String prefix : leftOut) {
      boolean removed = rules.removeIf(rule -> rule.getName().startsWith(prefix));
      if (!removed || prefix.startsWith("required")) {
        throw new IllegalArgumentException("no optional rule to leave out: prefix=" + prefix);
      }
    }
    return rules.stream()
        .map(rule -> DynamicTest.dynamicTest(rule.getName(), () -> judge(verifications, rule)))
        .toList();
  }

  private static void judge(Supplier<?> verifications, Method rule) throws Throwable {
    boolean isOneLook = JUDGED_BY_ONE_LOOK.stream().anyMatch(rule.getName()::contains);
    for (int look = 1; look < LOOKS && isOneLook; look++) {
      try {
        run(verifications.get(), rule);
        return;
      } catch (AssertionError | TestAbortedException missed) {
        // Looks again; what the last look finds counts. The TCK skips an optional rule it misses.
      }
    }
    run(verifications.get(), rule);
  }

  private static void run(Object verification, Method rule) throws Throwable {
    for (Method method : verification.getClass().getMethods()) {
      if (isAnnotated(method, "org.testng.annotations.BeforeMethod")) {
        invoke(verification, method);
      }
    }
    invoke(verification, rule);
  }

  private static void invoke(Object verification, Method method) throws Throwable {
    try {
      method.invoke(verification);
    } catch (InvocationTargetException thrown) {
      Throwable cause = Objects.requireNonNullElse(thrown.getCause(), thrown);
      if (cause.getClass().getName().equals("org.testng.SkipException")) {
        throw new TestAbortedException(cause.getMessage(), cause);
      }
      throw cause;
    }
  }

  private static boolean isAnnotated(Method method, String annotation) {
    return Arrays.stream(method.getAnnotations())
        .map(Annotation::annotationType)
        .anyMatch(type -> type.getName().equals(annotation));
  }
}
