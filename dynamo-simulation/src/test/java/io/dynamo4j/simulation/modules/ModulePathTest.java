// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.modules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.Migrator;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** A program of its own, compiled and started with the built jars on the module path. */
class ModulePathTest {

  private static final String INTERNAL = "io.dynamo4j.core.tree.RadixTree";

  @TempDir Path folder;
  private String modulePath = "";

  @BeforeEach
  void findJars() {
    modulePath =
        String.join(
            File.pathSeparator,
            List.of(jarOf(TokenSlice.class), jarOf(Migrator.class), jarOf(Logger.class)));
  }

  @Test
  void shouldRunProgramThatUsesExportedTypes() throws Exception {
    String program =
        """
        package probe;

        public class Probe {
          public static void main(String[] args) throws Exception {
            System.out.print(io.dynamo4j.core.hash.LoraIds.of("a") > 0);
            System.out.print(' ');
            System.out.print(io.dynamo4j.migration.Migrator.builder().limit(3) != null);
          }
        }
        """;

    assertThat(compile(program)).isEmpty();
    assertThat(run()).isEqualTo("true true");
  }

  @Test
  void shouldNotCompileProgramThatNamesInternals() throws Exception {
    String program =
        "package probe; public class Probe { Object tree = %s.class; }".formatted(INTERNAL);

    assertThat(compile(program)).contains("io.dynamo4j.core.tree");
  }

  @Test
  void shouldRefuseReflectionOnInternals() throws Exception {
    String program =
        """
        package probe;

        public class Probe {
          public static void main(String[] args) throws Exception {
            Class<?> type = Class.forName("%s");
            try {
              for (var method : type.getDeclaredMethods()) {
                if (java.lang.reflect.Modifier.isStatic(method.getModifiers())) {
                  method.invoke(null, new Object[method.getParameterCount()]);
                }
              }
              System.out.print("within reach");
            } catch (IllegalAccessException e) {
              System.out.print("out of reach");
            }
          }
        }
        """
            .formatted(INTERNAL);

    assertThat(compile(program)).isEmpty();
    assertThat(run()).isEqualTo("out of reach");
  }

  @Test
  void shouldNeedNothingButJavaBaseInCore() {
    String needed =
        tool("jdeps", "--ignore-missing-deps", "--print-module-deps", jarOf(TokenSlice.class));

    assertThat(needed.strip()).isEqualTo("java.base");
  }

  /** Returns what the compiler has to say; nothing if it compiles. */
  private String compile(String program) throws IOException {
    Path descriptor = folder.resolve("module-info.java");
    Path source = folder.resolve("Probe.java");
    Files.writeString(
        descriptor, "module probe { requires io.dynamo4j.core; requires io.dynamo4j.migration; }");
    Files.writeString(source, program);
    String classes = folder.resolve("classes").toString();
    // The annotations are needed to compile against the modules, not to run them.
    String path = modulePath + File.pathSeparator + jarOf(NullMarked.class);
    return tool("javac", "-p", path, "-d", classes, descriptor.toString(), source.toString());
  }

  private String run() throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-p",
                modulePath + File.pathSeparator + folder.resolve("classes"),
                "-m",
                "probe/probe.Probe")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return Files.readString(output, UTF_8);
  }

  private static String tool(String name, String... arguments) {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    ToolProvider.findFirst(name).orElseThrow().run(writer, writer, arguments);
    return out.toString();
  }

  private static String jarOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
