// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FleetDemoTest {
  private static final Pattern FAILED = Pattern.compile("\"failed\":(\\d+)");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir private Path folder;

  @Test
  void shouldAgreeByteForByteOutsideRealTimeForOneSeed() {
    assertThat(demo("--json", "--requests", "150", "--kill-every", "40")).isZero();
    String first = beforeRealTime();
    out.reset();
    assertThat(demo("--json", "--requests", "150", "--kill-every", "40")).isZero();
    assertThat(beforeRealTime()).isEqualTo(first);
    out.reset();
    assertThat(demo("--json", "--requests", "150", "--kill-every", "40", "--seed", "2")).isZero();
    assertThat(beforeRealTime()).isNotEqualTo(first);
  }

  @Test
  void shouldPrintOneObjectOnOneLineAndNothingElseWithJson() {
    assertThat(demo("--json", "--requests", "60", "--policy", "kv,random")).isZero();
    assertThat(text(out).lines()).hasSize(1);
    assertThat(text(out)).startsWith("{\"trace\":").endsWith("}}\n");
    assertThat(text(err)).isEmpty();
  }

  @Test
  void shouldCompleteEveryStreamExactlyWhenWorkersDie() {
    assertThat(demo("--json", "--requests", "300", "--kill-every", "30")).isZero();
    assertThat(FAILED.matcher(text(out)).results().map(r -> r.group(1))).containsOnly("0");
    assertThat(text(out)).contains("\"lost\":0,\"repeated\":0,\"wrong\":0");
    assertThat(text(out)).doesNotContain("\"kills\":0").doesNotContain("\"ongoing_request\":0}");
  }

  @Test
  void shouldCompleteEveryStreamExactlyWithThePredictingPolicy() {
    assertThat(
            demo("--json", "--requests", "300", "--kill-every", "30", "--policy", "kv-predicted"))
        .isZero();
    assertThat(FAILED.matcher(text(out)).results().map(r -> r.group(1))).containsOnly("0");
    assertThat(text(out))
        .contains("\"kv-predicted\"")
        .contains("\"lost\":0,\"repeated\":0,\"wrong\":0")
        .doesNotContain("\"kills\":0");
  }

  @Test
  void shouldNameEveryPolicyInTheHelpAndInARefusal() {
    assertThat(demo("--help")).isZero();
    assertThat(text(out)).contains("kv-predicted").contains("kv-approximate");
    assertThat(demo("--policy", "nonsense")).isEqualTo(2);
    assertThat(text(err)).contains("kv-predicted");
  }

  @Test
  void shouldShowTheFailuresWhenTheMigrationLimitIsZero() {
    assertThat(demo("--json", "--requests", "300", "--kill-every", "30", "--migration-limit", "0"))
        .isZero();
    assertThat(FAILED.matcher(text(out)).results().map(r -> Integer.parseInt(r.group(1))))
        .hasSize(4)
        .allSatisfy(failed -> assertThat(failed).isPositive());
    assertThat(text(out)).contains("\"ongoing_request\":0}");
  }

  @Test
  void shouldKillNobodyWhenKillsAreOff() {
    assertThat(demo("--json", "--requests", "100", "--kill-every", "0", "--policy", "kv")).isZero();
    assertThat(text(out)).contains("\"kills\":0").contains("\"ongoing_request\":0}");
  }

  @Test
  void shouldShowOneTableWithAColumnAPolicy() {
    assertThat(demo("--requests", "60", "--policy", "round-robin,kv")).isZero();
    assertThat(text(out))
        .containsPattern("round-robin +kv\n")
        .contains("prefix-hit rate")
        .contains("ceiling")
        .contains("tokens delivered");
  }

  @Test
  void shouldWriteAReportThatLoadsNothingFromElsewhere() throws IOException {
    Path report = folder.resolve("report.html");
    assertThat(demo("--requests", "100", "--kill-every", "20", "--report", report.toString()))
        .isZero();
    String page = Files.readString(report);
    assertThat(page.split("<svg", -1)).hasSize(5);
    assertThat(page).doesNotContain("http:").doesNotContain("https:").doesNotContain("src=");
    assertThat(page).contains("dies at").contains("goes on after");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--bogus",
        "--workers 0",
        "--workers many",
        "--workers 2147483647",
        "--workers 4000 --blocks 1000000",
        "--requests 2147483647",
        "--arrival-speedup 1e-300",
        "--block-size 0",
        "--blocks 0",
        "--blocks 1",
        "--migration-limit -1",
        "--migration-limit 4294967296",
        "--migration-max-seq-len 0",
        "--requests 0",
        "--arrival-speedup 0",
        "--arrival-speedup NaN",
        "--kill-every -1",
        "--policy fastest",
        "--plane carrier-pigeon",
        "--plane nats --time-scale 0",
        "--plane zmq --time-scale NaN",
        "--trace no/such/file.jsonl",
        "--trace .",
        "--requests 20 --report no/such/folder/report.html",
      })
  void shouldRefuseBadInputInOneLine(String arguments) {
    assertThat(demo(arguments.split(" "))).isEqualTo(2);
    assertThat(text(out)).isEmpty();
    assertThat(text(err).lines()).hasSize(1);
    assertThat(text(err)).startsWith("bin/demo: ").doesNotContain("Exception");
  }

  @Test
  void shouldNameFileAndLineOfATraceThatCannotBeRead() throws IOException {
    Path trace = folder.resolve("broken.jsonl");
    Files.writeString(
        trace,
        """
        {"timestamp": 0, "input_length": 600, "output_length": 3, "hash_ids": [1, 2]}
        {"timestamp": 1, "input_length": 600, "hash_ids": [1, 2]}
        """);
    assertThat(demo("--trace", trace.toString())).isEqualTo(2);
    assertThat(text(err)).contains("broken.jsonl").contains("line=2").contains("output_length");
    assertThat(text(err).lines()).hasSize(1);
  }

  @Test
  void shouldEndWhenAKillWaitsOverALongIdleTime() throws IOException {
    Path trace = folder.resolve("gap.jsonl");
    Files.writeString(
        trace,
        """
        {"timestamp": 0, "input_length": 600, "output_length": 3, "hash_ids": [1, 2]}
        {"timestamp": 1e11, "input_length": 600, "output_length": 3, "hash_ids": [1, 2]}
        """);
    assertThat(demo("--trace", trace.toString(), "--kill-every", "1", "--json")).isZero();
    assertThat(text(out)).contains("\"completed\":2");
  }

  @Test
  void shouldSayNothingWhereNothingWasMeasured() {
    assertThat(demo("--requests", "5", "--kill-every", "0", "--json", "--policy", "kv")).isZero();
    assertThat(text(out)).contains("\"migration_gap_ms\":{\"mean\":null,");
  }

  @Test
  void shouldSayWhenStandardOutputIsClosed() {
    PrintStream closed =
        new PrintStream(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                throw new IOException("broken pipe");
              }
            });
    assertThat(FleetDemo.run(closed, print(err), "--requests", "20", "--policy", "kv"))
        .isEqualTo(2);
    assertThat(text(err)).isEqualTo("bin/demo: cannot write to standard output\n");
  }

  private int demo(String... arguments) {
    return FleetDemo.run(print(out), print(err), arguments);
  }

  private static PrintStream print(ByteArrayOutputStream target) {
    return new PrintStream(target, true, StandardCharsets.UTF_8);
  }

  private String beforeRealTime() {
    String text = text(out);
    return text.substring(0, text.indexOf("\"real_time\""));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
