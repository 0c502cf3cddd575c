// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.HashSet;
import java.util.Set;

/**
 * Static fields are final and of a type that cannot change.
 *
 * <p>Interfaces and arrays out of others' reach pass, because their declared type does not tell; so
 * do our own classes whose fields are all final and pass themselves.
 */
final class ImmutableStatics {

  private static final Set<String> IMMUTABLE_TYPES =
      Set.of(
          "java.lang.String",
          "java.lang.Class",
          "java.lang.Object",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Double",
          "java.lang.Float",
          "java.lang.Boolean",
          "java.math.BigInteger",
          "java.math.BigDecimal",
          "java.net.URI",
          "java.util.HexFormat",
          "java.util.OptionalInt",
          "java.util.OptionalLong",
          "java.util.UUID",
          "java.util.regex.Pattern",
          "java.nio.charset.Charset",
          "java.util.concurrent.atomic.AtomicIntegerFieldUpdater",
          "java.util.concurrent.atomic.AtomicLongFieldUpdater",
          "java.util.concurrent.atomic.AtomicReferenceFieldUpdater",
          "com.fasterxml.jackson.core.JsonFactory");

  private static final Set<String> IMMUTABLE_PACKAGES =
      Set.of("java.lang.invoke", "java.time", "java.time.format");

  private static final Set<String> MUTABLE_INTERFACES =
      Set.of(
          "java.util.Queue",
          "java.util.Deque",
          "java.util.concurrent.BlockingQueue",
          "java.util.concurrent.ConcurrentMap",
          "java.util.Iterator",
          "io.dynamo4j.core.runtime.RandomSource");

  private ImmutableStatics() {}

  static ArchCondition<JavaClass> haveOnlyImmutableStatics() {
    return new ArchCondition<>("have no mutable static state") {
      @Override
      public void check(JavaClass javaClass, ConditionEvents events) {
        for (JavaField field : javaClass.getFields()) {
          if (field.getModifiers().contains(JavaModifier.STATIC) && !isImmutable(field)) {
            String message = field.getDescription() + " is mutable static state";
            events.add(SimpleConditionEvent.violated(field, message));
          }
        }
      }
    };
  }

  private static boolean isImmutable(JavaField field) {
    return field.getModifiers().contains(JavaModifier.SYNTHETIC)
        || isImmutable(field, new HashSet<>());
  }

  private static boolean isImmutable(JavaField field, Set<String> seen) {
    Set<JavaModifier> modifiers = field.getModifiers();
    if (!modifiers.contains(JavaModifier.FINAL)) {
      return false;
    }
    JavaClass type = field.getRawType();
    return type.isArray() ? isUnshared(field) : isImmutableType(type, seen);
  }

  /** A table that only its class sees, or, as part of an object, only its package. */
  private static boolean isUnshared(JavaField field) {
    Set<JavaModifier> modifiers = field.getModifiers();
    return modifiers.contains(JavaModifier.STATIC)
        ? modifiers.contains(JavaModifier.PRIVATE)
        : !modifiers.contains(JavaModifier.PUBLIC) && !modifiers.contains(JavaModifier.PROTECTED);
  }

  private static boolean isImmutableType(JavaClass type, Set<String> seen) {
    if (type.isPrimitive() || type.isEnum() || IMMUTABLE_TYPES.contains(type.getName())) {
      return true;
    }
    if (IMMUTABLE_PACKAGES.contains(type.getPackageName())) {
      return true;
    }
    if (type.isAssignableTo(Throwable.class)) {
      return true;
    }
    if (type.isInterface()) {
      return !MUTABLE_INTERFACES.contains(type.getName());
    }
    if (!type.getPackageName().startsWith("io.dynamo4j")) {
      return false;
    }
    if (!seen.add(type.getName())) {
      return true;
    }
    return type.getAllFields().stream()
        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
        .allMatch(field -> isImmutable(field, seen));
  }
}
