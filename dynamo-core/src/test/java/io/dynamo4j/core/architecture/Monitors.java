// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;

/** Sees {@code synchronized} methods by their modifier and blocks by their instruction. */
final class Monitors {

  private Monitors() {}

  static ArchCondition<JavaClass> avoidMonitors() {
    return new ArchCondition<>("avoid synchronized methods and blocks") {
      private String listing = "";

      @Override
      public void init(Collection<JavaClass> classes) {
        listing = disassembled(classes);
      }

      @Override
      public void check(JavaClass javaClass, ConditionEvents events) {
        for (JavaMethod method : javaClass.getMethods()) {
          if (method.getModifiers().contains(JavaModifier.SYNCHRONIZED)) {
            String message = method.getDescription() + " is synchronized";
            events.add(SimpleConditionEvent.violated(method, message));
          }
        }
        if (codeOf(javaClass).contains(" monitorenter")) {
          String message = javaClass.getDescription() + " has a synchronized block";
          events.add(SimpleConditionEvent.violated(javaClass, message));
        }
      }

      private String codeOf(JavaClass javaClass) {
        int start = listing.indexOf("Classfile " + file(javaClass).orElseThrow() + "\n");
        if (start < 0) {
          throw new IllegalStateException("class not disassembled: " + javaClass.getName());
        }
        int end = listing.indexOf("\nClassfile ", start + 1);
        return listing.substring(start, end < 0 ? listing.length() : end);
      }
    };
  }

  /** Prints all classes in one go, each headed by the name of its file. */
  private static String disassembled(Collection<JavaClass> classes) {
    ToolProvider javap =
        ToolProvider.findFirst("javap")
            .orElseThrow(() -> new IllegalStateException("tests need a JDK, not a runtime image"));
    List<String> arguments = new ArrayList<>(List.of("-sysinfo", "-c", "-p"));
    classes.stream().map(Monitors::file).flatMap(Optional::stream).forEach(arguments::add);
    StringWriter out = new StringWriter();
    StringWriter errors = new StringWriter();
    int status =
        javap.run(new PrintWriter(out), new PrintWriter(errors), arguments.toArray(String[]::new));
    if (status != 0) {
      throw new IllegalStateException("classes not disassembled: message=" + errors);
    }
    return out.toString();
  }

  private static Optional<String> file(JavaClass javaClass) {
    return javaClass.getSource().map(source -> fileName(source.getUri()));
  }

  private static String fileName(URI uri) {
    return uri.getScheme().equals("file") ? Path.of(uri).toString() : uri.toString();
  }
}
