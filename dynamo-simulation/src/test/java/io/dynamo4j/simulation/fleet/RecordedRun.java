// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Per-request record of one run of Dynamo's own trace simulation. */
final class RecordedRun {
  private final long[] reusedTokens;
  private final double[] ttftMillis;

  private RecordedRun(int rows) {
    this.reusedTokens = new long[rows];
    this.ttftMillis = new double[rows];
  }

  static RecordedRun read(Path file) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      List<String> header = Arrays.asList(reader.readLine().split(",", -1));
      List<String> lines = reader.lines().toList();
      RecordedRun run = new RecordedRun(lines.size());
      for (String line : lines) {
        String[] cells = line.split(",", -1);
        int row = Integer.parseInt(cells[header.indexOf("trace_row")]);
        run.reusedTokens[row] = Long.parseLong(cells[header.indexOf("reused_input_tokens")]);
        run.ttftMillis[row] =
            Double.parseDouble(cells[header.indexOf("first_token_ms")])
                - Double.parseDouble(cells[header.indexOf("arrival_ms")]);
      }
      return run;
    }
  }

  int size() {
    return reusedTokens.length;
  }

  long reusedTokens(int row) {
    return reusedTokens[row];
  }

  double meanTtftMillis() {
    return Arrays.stream(ttftMillis).average().orElseThrow();
  }
}
