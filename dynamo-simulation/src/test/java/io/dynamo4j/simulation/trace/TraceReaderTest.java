// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceReaderTest {
  private static final String GOOD =
      "{\"timestamp\": 27, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [0, 9]}";

  private final Path folder;

  TraceReaderTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Path write(String text) throws IOException {
    return write(text.getBytes(StandardCharsets.UTF_8));
  }

  private Path write(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("trace.jsonl"), bytes);
  }

  @Test
  void shouldReadRowsWhateverTheOrderOfFieldsAndTheBlankLines() throws IOException {
    List<TraceRow> rows =
        TraceReader.read(
            write(
                GOOD
                    + "\r\n\n  \n{\"hash_ids\":[1],\"more\":{\"a\":[1]},\"output_length\":0,"
                    + "\"input_length\":512,\"timestamp\":27.5}"));

    assertThat(rows).hasSize(2);
    assertThat(rows.get(0).timestampMillis()).isEqualTo(27);
    assertThat(rows.get(0).inputLength()).isEqualTo(600);
    assertThat(rows.get(0).outputLength()).isEqualTo(5);
    assertThat(rows.get(0).hashIdCount()).isEqualTo(2);
    assertThat(rows.get(0).hashId(1)).isEqualTo(9);
    assertThat(rows.get(1).outputLength()).isEqualTo(1);
    assertThat(rows.get(1).arrivalNanos(2)).isEqualTo(13_750_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "not json | not a JSON object: Unrecognized token 'not'",
        "[1] | not a JSON object",
        "{\"timestamp\": 1 | not a JSON object: Unexpected end-of-input",
        "{\"timestamp\":1,\"timestamp\":2} | not a JSON object: Duplicate field 'timestamp'",
        "{\"timestamp\":1,\"input_length\":9,\"output_length\":1} | field is missing: hash_ids",
        "{\"input_length\":9,\"output_length\":1,\"hash_ids\":[]} | field is missing: timestamp",
        "{\"timestamp\":30,\"output_length\":1,\"hash_ids\":[]} | field is missing: input_length",
        "{\"timestamp\":30,\"input_length\":9,\"hash_ids\":[]} | field is missing: output_length",
        "{\"timestamp\":-1} | timestamp must be in 0..1e12: timestamp=-1.0",
        "{\"timestamp\":\"1\"} | timestamp must be a number",
        "{\"timestamp\":null} | timestamp must be a number",
        "{\"input_length\":0} | input_length must be in 1..2147483647: input_length=0",
        "{\"input_length\":-5} | input_length must be in 1..2147483647: input_length=-5",
        "{\"input_length\":4294967296} | input_length must be in 1..2147483647: input_length=4294967296",
        "{\"input_length\":1.5} | input_length must be an integer",
        "{\"output_length\":-1} | output_length must be in 0..2147483647: output_length=-1",
        "{\"hash_ids\":7} | hash_ids must be an array",
        "{\"hash_ids\":[\"7\"]} | hash_ids must be integers",
        "{\"hash_ids\":[-7]} | hash_ids must be in 0..2^63-1: hash_id=-7",
        "{\"hash_ids\":[18446744073709551615]} | hash_ids must be in 0..2^63-1: hash_id=18446744073709551615",
        "{\"timestamp\":30,\"input_length\":1024,\"output_length\":1,\"hash_ids\":[1]} | hash_ids do not fit input_length: input_length=1024, hash_ids=1, expected=2",
        "{\"timestamp\":30,\"input_length\":1024,\"output_length\":1,\"hash_ids\":[1,2,3]} | hash_ids do not fit input_length: input_length=1024, hash_ids=3, expected=2",
        "{\"timestamp\":26,\"input_length\":9,\"output_length\":1,\"hash_ids\":[1]} | timestamps must not decrease",
        "{\"timestamp\":30,\"input_length\":9,\"output_length\":1,\"hash_ids\":[1]} {} | more than one JSON value on the line",
      })
  void shouldNameFileLineAndReasonWhenALineIsNotARow(String line, String reason)
      throws IOException {
    Path file = write(GOOD + "\n" + line + "\n");

    assertThatThrownBy(() -> TraceReader.read(file))
        .isInstanceOfSatisfying(
            TraceFormatException.class,
            e -> {
              assertThat(e.file()).isEqualTo(file.toString());
              assertThat(e.line()).isEqualTo(2);
              assertThat(e.reason()).startsWith(reason);
              assertThat(e.getMessage())
                  .startsWith("trace cannot be read: file=" + file + ", line=2, reason=" + reason)
                  .doesNotContain("\n");
            });
  }

  @Test
  void shouldRefuseAFileWithoutRows() throws IOException {
    Path file = write("\n\n");

    assertThatThrownBy(() -> TraceReader.read(file))
        .isInstanceOf(TraceFormatException.class)
        .hasMessage("trace cannot be read: file=" + file + ", reason=file has no rows");
  }

  @Test
  void shouldRefuseAMissingFileAndAFolder() {
    assertThatThrownBy(() -> TraceReader.read(folder.resolve("none")))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageEndingWith("reason=file does not exist");
    assertThatThrownBy(() -> TraceReader.read(folder))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining("file=" + folder);
  }

  @Test
  void shouldRefuseBytesThatAreNotText() throws IOException {
    byte[] bytes = GOOD.replace("hash_ids", "hash_id?").getBytes(StandardCharsets.UTF_8);
    bytes[new String(bytes, StandardCharsets.UTF_8).indexOf('?')] = (byte) 0xff;
    Path invalid = write(bytes);
    assertThatThrownBy(() -> TraceReader.read(invalid))
        .isInstanceOfSatisfying(TraceFormatException.class, e -> assertThat(e.line()).isEqualTo(1))
        .hasMessageContaining("UTF-8");

    Path compressed = write(new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0});
    assertThatThrownBy(() -> TraceReader.read(compressed))
        .isInstanceOfSatisfying(TraceFormatException.class, e -> assertThat(e.line()).isEqualTo(1));
  }

  @Test
  void shouldReadTheRecordedTraces() {
    assertThat(TraceReader.read(SharedData.trace("conversation_trace.jsonl"))).hasSize(12_031);
    assertThat(TraceReader.read(SharedData.trace("synthetic_trace.jsonl"))).hasSize(3_993);
  }
}
