// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.examples.gateway.KvBridgeCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code bin/kv-bridge} says to arguments, before it talks to any server. */
class KvBridgeCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    return KvBridgeCommand.run(Map.of(), print(out), print(err), args);
  }

  private static PrintStream print(ByteArrayOutputStream target) {
    return new PrintStream(target, true, StandardCharsets.UTF_8);
  }

  @Test
  void shouldPrintItsUsageWhenAsked() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("fleet", "engine", "index", "reset");
    assertThat(err.size()).isZero();
  }

  @Test
  void shouldPrintUsageOfACommandWhenAsked() {
    assertThat(run("engine", "--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("--kv-events-config", "BLOCK_SIZE");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                    | subcommand",
        "forget                              | forget",
        "index ns                            | COMPONENT",
        "index ns backend many               | BLOCK_SIZE",
        "index ns backend 0                  | 0",
        "engine ns backend -1 16 localhost {} | WORKER",
        "reset ns backend --forced           | --forced"
      })
  void shouldRefuseWhatItDoesNotUnderstandInOneLine(String line, String named) {
    String[] args = line == null ? new String[0] : line.split(" ");
    assertThat(run(args)).isEqualTo(2);
    assertThat(out.size()).isZero();
    assertThat(err.toString(StandardCharsets.UTF_8).lines())
        .singleElement()
        .satisfies(text -> assertThat(text).startsWith("bin/kv-bridge: ").contains(named));
  }
}
