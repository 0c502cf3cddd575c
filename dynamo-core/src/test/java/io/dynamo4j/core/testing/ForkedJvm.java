// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a main class with the classes of this process in a process of its own. */
public final class ForkedJvm {

  /**
   * How a run ended.
   *
   * @param code exit code
   * @param text what it wrote, errors included
   */
  public record Result(int code, String text) {}

  private ForkedJvm() {}

  /** Runs to the end in {@code folder}. */
  public static Result run(Path folder, List<String> options, String main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(arguments));
    Path log = folder.resolve("log.txt");
    int code =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    return new Result(code, Files.readString(log, StandardCharsets.UTF_8));
  }
}
