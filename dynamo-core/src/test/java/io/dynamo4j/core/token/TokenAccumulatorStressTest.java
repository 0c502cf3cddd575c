// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@link TokenAccumulatorStress} for a few seconds, in a process of its own. */
class TokenAccumulatorStressTest {

  @Test
  void shouldShowAReaderNothingBeforeItWasWritten(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path log = folder.resolve("log.txt");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            "org.openjdk.jcstress.Main",
            "-t",
            TokenAccumulatorStress.class.getSimpleName(),
            "-f",
            "1",
            "-fsm",
            "1",
            "-iters",
            "1",
            "-time",
            "1000",
            "-af",
            "NONE",
            "-sc",
            "false",
            "-jvmArgs",
            "-Xmx256m",
            "-r",
            folder.resolve("report").toString());
    int code =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    String text = Files.readString(log, StandardCharsets.UTF_8);
    assertThat(code).as(text).isZero();
    assertThat(text)
        .containsPattern("planned; [1-9]\\d* passed, 0 failed, 0 soft errs, 0 hard errs")
        .containsPattern("Failed tests: No matches")
        .containsPattern("Error tests: No matches");
  }
}
