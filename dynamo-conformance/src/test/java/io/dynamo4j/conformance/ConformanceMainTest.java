// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConformanceMainTest {
  private static final String LORA_A = "{\"lora_name\": \"a\", \"lora_id\": 1500095571}";
  private static final String BLOCK =
      "{\"block_size\": 4, \"tokens\": [1, 2, 3, 4], \"local_hashes\": [\"14643705804678351452\"]}";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final Path noLists;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  ConformanceMainTest(@TempDir Path folder, @TempDir Path noLists) {
    this.folder = folder;
    this.noLists = noLists;
  }

  @ParameterizedTest
  @ValueSource(strings = {"core/block-hashes.json", "core/sequence-hashes.json", "core/lora.json"})
  void shouldPassEveryRecordedCase(String file) {
    assertThat(run("--complete", SharedData.golden(file).toString())).isZero();
    assertThat(lastLine()).matches("\\d+ passed, 0 failed, 0 skipped");
  }

  @Test
  void shouldPassTheRecordedScenariosByTheListsOfTheRepositoryAndUseAllOfThem() throws IOException {
    List<String> arguments = new ArrayList<>(List.of("--complete", "--lists"));
    arguments.add(SharedData.repository().resolve("conformance").toString());
    arguments.add(SharedData.golden(".").toString());

    int code = run(arguments.toArray(String[]::new));

    assertThat(out.toString()).doesNotContain("FAILED");
    assertThat(code).isZero();
  }

  @Test
  void shouldNameKeysThatNobodyReadsAndFailThemWhereEverythingShallBeRead() throws IOException {
    ObjectNode slots =
        (ObjectNode) JSON.readTree(SharedData.golden("services/slot-lifecycle.json").toFile());
    slots.put("weight", 1).put("mass", 2);
    Path file = folder.resolve("slots.json");
    JSON.writeValue(file.toFile(), slots);

    assertThat(run(file.toString())).isZero();
    assertThat(out.toString()).contains("UNREAD ", "slots: weight, mass");
    assertThat(run("--complete", file.toString())).isEqualTo(1);
    assertThat(out.toString())
        .contains("FAILED ", "slots: key is not known: key=weight (and 1 more)");
  }

  @ParameterizedTest
  @CsvSource({
    "core/block-hashes.json, local_hashes",
    "core/sequence-hashes.json, local_hashes",
    "core/sequence-hashes.json, sequence_hashes"
  })
  void shouldFailEveryCaseInWhichARecordedHashIsChanged(String file, String key)
      throws IOException {
    JsonNode root = JSON.readTree(SharedData.golden(file).toFile());
    int tampered = 0;
    for (JsonNode each : root.get("cases")) {
      ArrayNode hashes = (ArrayNode) each.get(key);
      if (hashes != null && !hashes.isEmpty()) {
        int at = tampered++ % hashes.size();
        long changed = Long.parseUnsignedLong(hashes.get(at).asText()) ^ (1L << tampered % 64);
        hashes.set(at, JSON.getNodeFactory().textNode(Long.toUnsignedString(changed)));
      }
    }
    JSON.writeValue(folder.resolve("other-name.json").toFile(), root);
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(tampered).isGreaterThan(80);
    assertThat(lastLine()).contains(" " + tampered + " failed, ");
  }

  @Test
  void shouldFailWhenALoraIdIsChanged() throws IOException {
    write("lora.json", "{\"cases\": [" + LORA_A.replace("1500095571", "1500095572") + "]}");
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("recorded=1500095572, ours=1500095571");
  }

  @Test
  void shouldChooseTheReaderByKeysInAFolderNeverSeen() throws IOException {
    Path nested = Files.createDirectories(folder.resolve("x/never-seen"));
    Files.writeString(nested.resolve("what.json"), "[" + BLOCK + "," + LORA_A + "]");
    Files.writeString(nested.resolve("single.json"), LORA_A);
    Files.writeString(nested.resolve("lines.jsonl"), LORA_A + "\n\n" + BLOCK + "\n");
    Files.writeString(nested.resolve("notes.md"), "not a case");
    assertThat(run("--list", folder.toString())).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "PASSED never-seen/lines#1: lora",
            "PASSED never-seen/lines#3: block-hashes",
            "PASSED never-seen/single: lora",
            "PASSED never-seen/what#1: block-hashes",
            "PASSED never-seen/what#2: lora",
            "5 passed, 0 failed, 0 skipped");
  }

  @Test
  void shouldCountAFileOnceWhenNamedTwice() throws IOException {
    Path file = write("lora.json", LORA_A);
    assertThat(run(file.toString(), folder.toString(), file.toString())).isZero();
    assertThat(lastLine()).isEqualTo("1 passed, 0 failed, 0 skipped");
  }

  @Test
  void shouldTolerateOtherKeysAndAnyOrder() throws IOException {
    write(
        "a.json",
        "{\"cases\": [{\"local_hashes\": [\"14643705804678351452\"], \"note\": {\"x\": 1},"
            + " \"tokens\": [1, 2, 3, 4], \"block_size\": 4, \"lora_name\": null}], \"b\": 1}");
    assertThat(run(folder.toString())).isZero();
  }

  @Test
  void shouldFailOnAFolderWithoutCases() throws IOException {
    Files.writeString(folder.resolve("README.md"), "nothing");
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(lastLine()).isEqualTo("0 passed, 1 failed, 0 skipped");
  }

  @Test
  void shouldFailOnAnEmptyFolderBesideCases() throws IOException {
    write("a.json", LORA_A);
    Files.createDirectory(folder.resolve("empty"));
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(lastLine()).isEqualTo("1 passed, 1 failed, 0 skipped");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{\"cases\": []}",
        "{\"cases\": 1}",
        "[]",
        "{}",
        "{\"lora_name\": \"a\", \"lora_id\": 1500095571} trailing",
        "{\"lora_name\": \"a\", \"lora_name\": \"a\", \"lora_id\": 1500095571}",
        "{\"unknown\": 1}",
        "{\"lora_name\": \"a\"}",
        "{\"lora_name\": \"a\", \"lora_id\": \"1500095571\"}",
        "{\"lora_name\": \"a\", \"lora_id\": 1500095571.0}",
        "{\"block_size\": 4, \"tokens\": [1, 2, 3, 4]}",
        "{\"block_size\": 4, \"tokens\": [1, 2, 3, 4], \"local_hashes\": []}",
        "{\"block_size\": 4, \"tokens\": [1, 2, 3, 4], \"local_hashes\": null}",
        "{\"block_size\": 4, \"tokens\": [1, 2, 3, 4294967296], \"local_hashes\": [\"1\"]}",
        "{\"block_size\": 4, \"tokens\": [1, 2, 3, 4], \"local_hashes\": [\"x\"]}",
        "{\"block_size\": 4, \"tokens\": [1, 2, 3, 4], \"error\": \"should be refused\"}",
        "{\"block_size\": 0, \"tokens\": [1, 2, 3, 4], \"local_hashes\": []}"
      })
  void shouldFailOnAFileThatIsNoUsableCase(String text) throws IOException {
    write("bad.json", text);
    write("good.json", LORA_A);
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(lastLine()).isEqualTo("1 passed, 1 failed, 0 skipped");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void shouldFailOnOneBrokenLineWithItsNumber() throws IOException {
    write("bad.jsonl", LORA_A + "\n{\n");
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("line=2");
  }

  @Test
  void shouldFailOnBytesThatAreNoText() throws IOException {
    Files.write(folder.resolve("bad.jsonl"), new byte[] {(byte) 0xC3, 0x28});
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(lastLine()).isEqualTo("0 passed, 1 failed, 0 skipped");
  }

  @Test
  void shouldPassWhatTheRecordedCallRefusedAndOursRefusesToo() throws IOException {
    write("a.json", "{\"block_size\": 0, \"tokens\": [], \"error\": \"cannot be 0\"}");
    assertThat(run(folder.toString())).isZero();
  }

  @Test
  void shouldSkipListedCasesAndNeverCountThemToo() throws IOException {
    Path cases = Files.createDirectory(folder.resolve("cases"));
    Files.writeString(cases.resolve("a.json"), "[" + LORA_A + "," + BLOCK + "]");
    list("not-ours.txt", "cases/a#1 → for the test");
    assertThat(run("--lists", folder.toString(), "--complete", cases.toString())).isZero();
    assertThat(lastLine()).isEqualTo("1 passed, 0 failed, 1 skipped");
  }

  @Test
  void shouldFailWhenNothingPassed() throws IOException {
    Path cases = Files.createDirectory(folder.resolve("cases"));
    Files.writeString(cases.resolve("a.json"), LORA_A);
    list("not-ours.txt", "cases/a → for the test");
    assertThat(run("--lists", folder.toString(), cases.toString())).isEqualTo(1);
    assertThat(lastLine()).isEqualTo("0 passed, 0 failed, 1 skipped");
  }

  @Test
  void shouldFailWhenAListedDifferenceDoesNotDiffer() throws IOException {
    Path cases = Files.createDirectory(folder.resolve("cases"));
    Files.writeString(cases.resolve("a.json"), LORA_A);
    list("differences.txt", "cases/a → T1");
    assertThat(run("--lists", folder.toString(), cases.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("does not differ");
  }

  @Test
  void shouldFailOnAnEntryThatMatchesNoCaseWhenAskedToBeComplete() throws IOException {
    Path cases = Files.createDirectory(folder.resolve("cases"));
    Files.writeString(cases.resolve("a.json"), LORA_A);
    list("differences.txt", "cases/gone#7 → T1");
    assertThat(run("--lists", folder.toString(), cases.toString())).isZero();
    assertThat(run("--complete", "--lists", folder.toString(), cases.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("FAILED cases/gone#7: matches no case");
  }

  @ParameterizedTest
  @ValueSource(strings = {"no arrow", "→ x", "cases/a →", "cases/a → x\ncases/a → y"})
  void shouldRefuseAListThatCannotBeUnderstood(String text) throws IOException {
    Path cases = Files.createDirectory(folder.resolve("cases"));
    Files.writeString(cases.resolve("a.json"), LORA_A);
    list("not-ours.txt", text);
    assertThat(run("--lists", folder.toString(), cases.toString())).isEqualTo(2);
    assertOneLineOfError();
  }

  @Test
  void shouldRefuseAPathThatDoesNotExist() {
    assertThat(run(folder.resolve("absent").toString())).isEqualTo(2);
    assertOneLineOfError();
  }

  @Test
  void shouldRefuseListsThatAreNoFolder() throws IOException {
    write("a.json", LORA_A);
    assertThat(run("--lists", noLists.resolve("absent").toString(), folder.toString()))
        .isEqualTo(2);
    assertOneLineOfError();
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void shouldNotWalkInCirclesWhereALinkLeadsToAFolderAbove() throws IOException {
    write("a.json", LORA_A);
    Path nested = Files.createDirectories(folder.resolve("x/y"));
    Files.writeString(nested.resolve("b.json"), BLOCK);
    Files.createSymbolicLink(nested.resolve("loop"), folder);
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("x/y/loop: is a link to a folder that it is in");
    assertThat(lastLine()).isEqualTo("2 passed, 1 failed, 0 skipped");
  }

  @Test
  void shouldShowWhatCanBeAskedFor() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("--complete", "--list", "--lists", "PATH");
  }

  @Test
  void shouldRefuseNoPathAndUnknownOptions() {
    assertThat(run()).isEqualTo(2);
    assertOneLineOfError();
    err.getBuffer().setLength(0);
    assertThat(run("--nonsense", folder.toString())).isEqualTo(2);
    assertOneLineOfError();
  }

  @Test
  void shouldSayInOneLineThatStandardOutputIsClosed() throws IOException {
    write("a.json", LORA_A);
    Writer closed = Writer.nullWriter();
    closed.close();
    int code =
        ConformanceMain.run(new PrintWriter(closed), new PrintWriter(err, true), folder.toString());
    assertThat(code).isEqualTo(2);
    assertOneLineOfError();
  }

  private int run(String... args) {
    List<String> withLists = new ArrayList<>(List.of(args));
    if (!withLists.contains("--lists") && args.length > 0) {
      withLists.add(0, "--lists=" + noLists);
    }
    return ConformanceMain.run(
        new PrintWriter(out), new PrintWriter(err, true), withLists.toArray(new String[0]));
  }

  private String lastLine() {
    return out.toString().lines().reduce("", (before, line) -> line);
  }

  private void assertOneLineOfError() {
    assertThat(err.toString().lines()).hasSize(1).allMatch(l -> l.startsWith("conformance: "));
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text, StandardCharsets.UTF_8);
  }

  private void list(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text + "\n", StandardCharsets.UTF_8);
  }
}
