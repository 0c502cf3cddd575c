// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The {@code hash_ids} of a trace of JSON lines; nothing else of it is read. */
final class TraceHashes {
  private TraceHashes() {}

  static List<long[]> read(Path trace) throws IOException {
    List<long[]> rows = new ArrayList<>();
    try (JsonParser in = new JsonFactory().createParser(trace.toFile())) {
      for (JsonToken token = in.nextToken(); token != null; token = in.nextToken()) {
        if (token == JsonToken.FIELD_NAME && in.currentName().equals("hash_ids")) {
          in.nextToken();
          rows.add(readIds(in));
        }
      }
    }
    return rows;
  }

  private static long[] readIds(JsonParser in) throws IOException {
    long[] ids = new long[16];
    int count = 0;
    while (in.nextToken() != JsonToken.END_ARRAY) {
      ids = count == ids.length ? Arrays.copyOf(ids, count * 2) : ids;
      ids[count++] = in.getLongValue();
    }
    return Arrays.copyOf(ids, count);
  }
}
