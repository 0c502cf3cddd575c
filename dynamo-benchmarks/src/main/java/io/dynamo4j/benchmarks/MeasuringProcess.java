// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A JVM of its own for our side of a comparison: with huge pages, on the cores of {@link Cores},
 * kept from round to round so that it stays compiled. It answers each line of its input by a line
 * of JSON.
 */
public final class MeasuringProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long EXIT_SECONDS = 10;

  private final Process process;
  private final BufferedWriter commands;
  private final BufferedReader answers;

  private MeasuringProcess(Process process) {
    this.process = process;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts a program.
   *
   * @param main calls {@link #serve}
   * @param heapMegabytes size of its heap
   */
  public static MeasuringProcess start(Class<?> main, long heapMegabytes, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>(Cores.prefix());
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of("-XX:+UseTransparentHugePages", "-XX:+UseSerialGC"));
    command.add("-Xms" + heapMegabytes + "m");
    command.add("-Xmx" + heapMegabytes + "m");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return new MeasuringProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Sends a command and returns its answer. */
  public <T> T ask(String command, Class<T> type) throws IOException {
    commands.write(command);
    commands.newLine();
    commands.flush();
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException(
          "measuring process ended: command=" + command + ", exitCode=" + exitCode());
    }
    return JSON.readValue(answer, type);
  }

  /** Returns what the process ended with, 128 + the signal if one did; empty if it runs on. */
  private OptionalInt exitCode() {
    try {
      return process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)
          ? OptionalInt.of(process.exitValue())
          : OptionalInt.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalInt.empty();
    }
  }

  /** Answers commands from standard input until it ends; for the other side's {@code main}. */
  public static void serve(PrintStream out, Function<String, Object> answer) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String command = in.readLine(); command != null; command = in.readLine()) {
        out.println(toJson(answer.apply(command)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String toJson(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("answer cannot be written as JSON", e);
    }
  }

  @Override
  public void close() throws IOException {
    commands.close();
    try {
      if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
