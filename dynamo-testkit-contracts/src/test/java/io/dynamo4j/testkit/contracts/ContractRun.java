// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Runs a contract's tests against an implementation that is meant to fail some of them. */
final class ContractRun {
  private ContractRun() {}

  /** Returns what each failing test threw, by the test's name. */
  static <C> SortedMap<String, Throwable> failures(
      Class<C> contract, Supplier<? extends C> subject) {
    SortedMap<String, Throwable> failures = new TreeMap<>();
    for (Method method : contract.getMethods()) {
      if (method.isAnnotationPresent(Test.class)) {
        try {
          method.invoke(subject.get());
        } catch (InvocationTargetException thrown) {
          failures.put(method.getName(), thrown.getCause());
        } catch (IllegalAccessException e) {
          throw new IllegalStateException("test is not public: method=" + method, e);
        }
      }
    }
    return failures;
  }
}
