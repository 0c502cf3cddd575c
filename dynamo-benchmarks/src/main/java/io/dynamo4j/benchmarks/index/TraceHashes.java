// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The {@code hash_ids} of a trace of JSON lines; nothing else of it is read. */
final class TraceHashes {
  private static final ObjectMapper JSON = new ObjectMapper();

  private TraceHashes() {}

  /**
   * Reads the ids of every row.
   *
   * @throws IllegalArgumentException naming the first line without ids, or if all are empty
   */
  static List<long[]> read(Path trace) throws IOException {
    List<long[]> rows = new ArrayList<>();
    try (BufferedReader in = Files.newBufferedReader(trace)) {
      int number = 0;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        number++;
        if (!line.isBlank()) {
          rows.add(ids(line, trace, number));
        }
      }
    }
    if (rows.stream().allMatch(row -> row.length == 0)) {
      throw new IllegalArgumentException(
          "trace has no hash ids: file=" + trace + ", rows=" + rows.size());
    }
    return rows;
  }

  private static long[] ids(String line, Path trace, int number) {
    try {
      JsonNode ids = JSON.readTree(line).path("hash_ids");
      if (ids.isArray()) {
        long[] row = new long[ids.size()];
        for (int i = 0; i < row.length; i++) {
          row[i] = ids.get(i).asLong();
        }
        return row;
      }
    } catch (JsonProcessingException e) {
      // Told below, like a row that is JSON and has no ids.
    }
    throw new IllegalArgumentException(
        "row of a trace has no hash_ids: file=" + trace + ", line=" + number);
  }
}
