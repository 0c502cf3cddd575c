// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Conditions over what a class shows to its callers. */
final class Signatures {

  private Signatures() {}

  /** Public, with everything around it, and in no {@code internal} package. */
  static DescribedPredicate<JavaClass> areApi() {
    return DescribedPredicate.describe("are API", Signatures::isApi);
  }

  static ArchCondition<JavaClass> showOnly(String description, Predicate<JavaClass> allowed) {
    return condition(
        "show only " + description,
        (javaClass, violated) -> {
          for (JavaType parent : parents(javaClass)) {
            report(javaClass.getDescription() + " extends", parent, allowed, violated);
          }
          for (JavaMember member : javaClass.getMembers()) {
            if (isVisible(member)) {
              for (JavaType type : types(member)) {
                report(member.getDescription() + " shows", type, allowed, violated);
              }
            }
          }
        });
  }

  static ArchCondition<JavaClass> beClosed() {
    return condition(
        "be final, sealed, an interface or made for inheritance",
        (javaClass, violated) -> {
          Set<JavaModifier> modifiers = javaClass.getModifiers();
          boolean closed =
              javaClass.isInterface()
                  || javaClass.isEnum()
                  || javaClass.isAssignableTo(Throwable.class)
                  || modifiers.contains(JavaModifier.FINAL)
                  || modifiers.contains(JavaModifier.ABSTRACT)
                  || javaClass.reflect().isSealed();
          if (!closed) {
            violated.accept(javaClass.getDescription() + " can be extended");
          }
        });
  }

  static ArchCondition<JavaClass> hideConstructors() {
    return condition(
        "hide constructors",
        (javaClass, violated) -> {
          if (javaClass.isRecord()
              || javaClass.isAssignableTo(Throwable.class)
              || javaClass.getModifiers().contains(JavaModifier.ABSTRACT)) {
            return;
          }
          for (JavaConstructor constructor : javaClass.getConstructors()) {
            if (isVisible(constructor)) {
              violated.accept(constructor.getDescription() + " is visible");
            }
          }
        });
  }

  static ArchCondition<JavaClass> boxNoLongs() {
    return condition(
        "box no longs",
        (javaClass, violated) -> {
          for (JavaMember member : javaClass.getMembers()) {
            for (JavaType type : types(member)) {
              if (holdsLongs(type)) {
                violated.accept(member.getDescription() + " boxes longs in " + type.getName());
              }
            }
          }
        });
  }

  /** Elements of collections and keys of maps; a value of a map may be a count. */
  private static boolean holdsLongs(JavaType type) {
    if (!(type instanceof JavaParameterizedType parameterized)) {
      return false;
    }
    List<JavaType> arguments = parameterized.getActualTypeArguments();
    boolean collection =
        type.toErasure().isAssignableTo(Collection.class)
            || type.toErasure().isAssignableTo(Map.class);
    return (collection && arguments.get(0).toErasure().isEquivalentTo(Long.class))
        || arguments.stream().anyMatch(Signatures::holdsLongs);
  }

  private static boolean isApi(JavaClass javaClass) {
    if ((javaClass.getPackageName() + ".").contains(".internal.")) {
      return false;
    }
    JavaClass current = javaClass;
    while (true) {
      if (!current.getModifiers().contains(JavaModifier.PUBLIC)) {
        return false;
      }
      if (current.getEnclosingClass().isEmpty()) {
        return true;
      }
      current = current.getEnclosingClass().get();
    }
  }

  private static boolean isVisible(JavaMember member) {
    Set<JavaModifier> modifiers = member.getModifiers();
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC)
        && !modifiers.contains(JavaModifier.BRIDGE);
  }

  private static List<JavaType> parents(JavaClass javaClass) {
    List<JavaType> parents = new ArrayList<>(javaClass.getInterfaces());
    javaClass.getSuperclass().ifPresent(parents::add);
    return parents;
  }

  private static List<JavaType> types(JavaMember member) {
    List<JavaType> types = new ArrayList<>();
    if (member instanceof JavaField field) {
      types.add(field.getType());
    } else if (member instanceof JavaCodeUnit codeUnit) {
      types.add(codeUnit.getReturnType());
      types.addAll(codeUnit.getParameterTypes());
      codeUnit.getThrowsClause().forEach(declaration -> types.add(declaration.getRawType()));
    }
    return types;
  }

  private static void report(
      String where, JavaType type, Predicate<JavaClass> allowed, Consumer<String> violated) {
    for (JavaClass raw : type.getAllInvolvedRawTypes()) {
      JavaClass element = raw.isArray() ? raw.getBaseComponentType() : raw;
      if (!allowed.test(element)) {
        violated.accept(where + " " + element.getName());
      }
    }
  }

  private static ArchCondition<JavaClass> condition(String description, Check check) {
    return new ArchCondition<>(description) {
      @Override
      public void check(JavaClass javaClass, ConditionEvents events) {
        check.check(
            javaClass, message -> events.add(SimpleConditionEvent.violated(javaClass, message)));
      }
    };
  }

  /** Looks at one class and says what is wrong with it. */
  @FunctionalInterface
  private interface Check {
    void check(JavaClass javaClass, Consumer<String> violated);
  }
}
