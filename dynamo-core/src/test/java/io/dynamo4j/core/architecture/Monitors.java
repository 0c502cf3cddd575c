// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.spi.ToolProvider;

/** Sees {@code synchronized} methods by their modifier and blocks by their instruction. */
final class Monitors {

  private Monitors() {}

  static ArchCondition<JavaClass> avoidMonitors() {
    return new ArchCondition<>("avoid synchronized methods and blocks") {
      @Override
      public void check(JavaClass javaClass, ConditionEvents events) {
        for (JavaMethod method : javaClass.getMethods()) {
          if (method.getModifiers().contains(JavaModifier.SYNCHRONIZED)) {
            String message = method.getDescription() + " is synchronized";
            events.add(SimpleConditionEvent.violated(method, message));
          }
        }
        if (disassembled(javaClass).contains(" monitorenter")) {
          String message = javaClass.getDescription() + " has a synchronized block";
          events.add(SimpleConditionEvent.violated(javaClass, message));
        }
      }
    };
  }

  private static String disassembled(JavaClass javaClass) {
    ToolProvider javap =
        ToolProvider.findFirst("javap")
            .orElseThrow(() -> new IllegalStateException("tests need a JDK, not a runtime image"));
    StringWriter out = new StringWriter();
    StringWriter errors = new StringWriter();
    int status =
        javap.run(new PrintWriter(out), new PrintWriter(errors), "-c", "-p", file(javaClass));
    if (status != 0) {
      throw new IllegalStateException(
          "class not disassembled: class=" + javaClass.getName() + ", message=" + errors);
    }
    return out.toString();
  }

  private static String file(JavaClass javaClass) {
    Source source =
        javaClass
            .getSource()
            .orElseThrow(() -> new IllegalStateException("no source: " + javaClass.getName()));
    return source.getUri().getScheme().equals("file")
        ? Path.of(source.getUri()).toString()
        : source.getUri().toString();
  }
}
