// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads Mooncake traces: one JSON object a line with {@code timestamp} (milliseconds), {@code
 * input_length}, {@code output_length} (tokens) and {@code hash_ids} (one for each block of the
 * prompt, the last perhaps partial).
 *
 * <p>Rows are taken as they stand: timestamps must not decrease, since reordering would silently
 * change which request is which. Other fields are ignored, blank lines too. An output length of 0
 * counts as 1, as it does in the simulations that traces are compared with.
 */
public final class TraceReader {
  /** Tokens that one hash id of a Mooncake trace stands for. */
  public static final int MOONCAKE_BLOCK_SIZE = 512;

  private static final int MAX_LINE_BYTES = 16 << 20;

  private final Path file;
  private final TraceRowParser parser;
  private final List<TraceRow> rows = new ArrayList<>();
  private long lineNumber;
  private double lastTimestamp;

  private TraceReader(Path file) {
    this.file = file;
    this.parser = new TraceRowParser(MOONCAKE_BLOCK_SIZE);
  }

  /**
   * Reads a whole trace, at least one row.
   *
   * @throws TraceFormatException if the file cannot be read, is empty, or any line is not a row
   */
  public static List<TraceRow> read(Path file) {
    TraceReader reader = new TraceReader(file);
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      reader.readLines(in);
    } catch (NoSuchFileException e) {
      throw reader.failed(0, "file does not exist", e);
    } catch (AccessDeniedException e) {
      throw reader.failed(0, "file is not readable", e);
    } catch (IOException e) {
      throw reader.failed(0, String.valueOf(e.getMessage()), e);
    }
    if (reader.rows.isEmpty()) {
      throw reader.failed(0, "file has no rows", null);
    }
    return reader.rows;
  }

  private void readLines(InputStream in) throws IOException {
    byte[] line = new byte[1024];
    int length = 0;
    for (int b = in.read(); b >= 0; b = in.read()) {
      if (b == '\n') {
        takeLine(line, length);
        length = 0;
        continue;
      }
      if (length == line.length) {
        if (length == MAX_LINE_BYTES) {
          throw failed(lineNumber + 1, "line is longer than " + MAX_LINE_BYTES + " bytes", null);
        }
        line = Arrays.copyOf(line, length * 2);
      }
      line[length++] = (byte) b;
    }
    takeLine(line, length);
  }

  private void takeLine(byte[] line, int length) {
    lineNumber++;
    if (isBlank(line, length)) {
      return;
    }
    try {
      TraceRow row = parser.parse(line, length);
      if (row.timestampMillis() < lastTimestamp) {
        throw failed(lineNumber, "timestamps must not decrease", null);
      }
      lastTimestamp = row.timestampMillis();
      rows.add(row);
    } catch (JsonProcessingException e) {
      throw failed(lineNumber, "not a JSON object: " + firstLine(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw failed(lineNumber, "not UTF-8 text: " + firstLine(e.getMessage()), e);
    } catch (IllegalArgumentException e) {
      throw failed(lineNumber, String.valueOf(e.getMessage()), e);
    }
  }

  private static boolean isBlank(byte[] line, int length) {
    for (int i = 0; i < length; i++) {
      if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') {
        return false;
      }
    }
    return true;
  }

  private static String firstLine(@Nullable String message) {
    String text = String.valueOf(message);
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }

  private TraceFormatException failed(long line, String reason, @Nullable Throwable cause) {
    return new TraceFormatException(file, line, reason, cause);
  }
}
