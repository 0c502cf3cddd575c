// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.quickstart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.testing.SharedData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class QuickstartTest {

  @Test
  void shouldPrintWholeSentenceWhenWorkerDies() {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, UTF_8));
    try {
      Quickstart.main(new String[0]);
    } finally {
      System.setOut(before);
    }

    assertThat(printed.toString(UTF_8)).isEqualTo("The stream never breaks.");
  }

  @Test
  void shouldRunWhereMicrometerIsAbsent() {
    assertThatThrownBy(() -> Class.forName("io.micrometer.core.instrument.MeterRegistry"))
        .isInstanceOf(ClassNotFoundException.class);
    shouldPrintWholeSentenceWhenWorkerDies();
  }

  @Test
  void shouldShowSameLinesInReadme() throws IOException {
    Path root = SharedData.repository();
    String program =
        Files.readString(
            root.resolve(
                "examples/quickstart/src/main/java/io/dynamo4j/examples/quickstart/Quickstart.java"));
    String readme = Files.readString(root.resolve("README.md"));

    assertThat(code(between(readme, "```java\n", "```")))
        .isEqualTo(code(between(program, "// readme\n", "// readme end")));
  }

  @Test
  void shouldShowSampleWithinFirstLinesOfReadme() throws IOException {
    String readme = Files.readString(SharedData.repository().resolve("README.md"));

    assertThat(readme.substring(0, readme.indexOf("```java")).lines().count()).isLessThan(25);
    assertThat(readme.lines().limit(60).toList())
        .anyMatch(line -> line.startsWith("bin/demo"))
        .anyMatch(line -> line.startsWith("bin/verify"));
    assertThat(readme.lines().count()).isLessThanOrEqualTo(200);
  }

  private static String between(String text, String start, String end) {
    int from = text.indexOf(start) + start.length();
    return text.substring(from, text.indexOf(end, from));
  }

  /** Tokens without layout and line comments. */
  private static String code(String text) {
    return text.replaceAll("//.*", "").replaceAll("\\s+", "");
  }
}
