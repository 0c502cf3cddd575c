// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.replay;

import io.dynamo4j.core.testing.SharedData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** What Dynamo's own simulation recorded for each row of a trace. */
final class RecordedRun {
  final int[] reusedTokens;
  final double[] firstTokenMillis;
  final double[] arrivalMillis;

  private RecordedRun(int rows) {
    reusedTokens = new int[rows];
    firstTokenMillis = new double[rows];
    arrivalMillis = new double[rows];
  }

  static RecordedRun load(String name) throws IOException {
    List<String> lines = new ArrayList<>();
    try (InputStream file = Files.newInputStream(SharedData.golden("replay/" + name));
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(new GZIPInputStream(file), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    }
    List<String> header = Arrays.asList(lines.get(0).split(",", -1));
    int row = header.indexOf("trace_row");
    int arrival = header.indexOf("arrival_ms");
    int reused = header.indexOf("reused_input_tokens");
    int firstToken = header.indexOf("first_token_ms");
    RecordedRun run = new RecordedRun(lines.size() - 1);
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      int index = Integer.parseInt(cells[row]);
      run.reusedTokens[index] = Integer.parseInt(cells[reused]);
      run.firstTokenMillis[index] = Double.parseDouble(cells[firstToken]);
      run.arrivalMillis[index] = Double.parseDouble(cells[arrival]);
    }
    return run;
  }

  double meanTimeToFirstTokenMillis() {
    double sum = 0;
    for (int i = 0; i < firstTokenMillis.length; i++) {
      sum += firstTokenMillis[i] - arrivalMillis[i];
    }
    return sum / firstTokenMillis.length;
  }
}
