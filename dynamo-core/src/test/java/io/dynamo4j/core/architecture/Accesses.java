// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Predicates over what a class touches.
 *
 * <p>They look at every access: calls, field reads, lambda bodies and, which {@code callMethod}
 * conditions miss, method references.
 */
final class Accesses {

  private Accesses() {}

  /** Any method, constructor or field of the types or of their subtypes. */
  static Predicate<JavaAccess<?>> anyOf(Class<?>... owners) {
    List<Class<?>> types = List.of(owners);
    return access -> types.stream().anyMatch(access.getTargetOwner()::isAssignableTo);
  }

  /** Members of {@code owner} or a subtype by name. */
  static Predicate<JavaAccess<?>> named(Class<?> owner, String... names) {
    Set<String> wanted = Set.of(names);
    return access ->
        wanted.contains(access.getName()) && access.getTargetOwner().isAssignableTo(owner);
  }

  /** Constructors of exactly these types. */
  static Predicate<JavaAccess<?>> constructorOf(Class<?>... owners) {
    List<Class<?>> types = List.of(owners);
    return access ->
        access.getName().equals(JavaConstructor.CONSTRUCTOR_NAME)
            && types.stream().anyMatch(access.getTargetOwner()::isEquivalentTo);
  }

  /** Methods and constructors with so many parameters. */
  static Predicate<JavaAccess<?>> parameterCount(int count) {
    return access -> parameters(access).size() == count;
  }

  /** Methods and constructors with a parameter of the type. */
  static Predicate<JavaAccess<?>> parameterOf(Class<?> type) {
    return access ->
        parameters(access).stream().anyMatch(parameter -> parameter.isAssignableTo(type));
  }

  static List<JavaClass> parameters(JavaAccess<?> access) {
    return access.getTarget() instanceof CodeUnitAccessTarget target
        ? target.getRawParameterTypes()
        : List.of();
  }

  /** Fails once for each access that {@code forbidden} holds of. */
  static ArchCondition<JavaClass> avoid(String description, Predicate<JavaAccess<?>> forbidden) {
    return new ArchCondition<>("avoid " + description) {
      @Override
      public void check(JavaClass javaClass, ConditionEvents events) {
        for (JavaAccess<?> access : javaClass.getAccessesFromSelf()) {
          if (forbidden.test(access)) {
            events.add(SimpleConditionEvent.violated(access, access.getDescription()));
          }
        }
      }
    };
  }
}
