// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.MeasuringProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** Measures our index on one log; a line is {@code once}, {@code mixed} or passes of a round. */
public final class IndexProcess {
  static final String ONCE = "once";
  static final String MIXED = "mixed";

  private static final int BYTES_A_QUERY_BLOCK = 220;
  private static final long BASE_MEGABYTES = 768;

  private IndexProcess() {}

  /** Starts the process. */
  static MeasuringProcess start(Path trace, LogShape shape, List<long[]> rows) throws IOException {
    long ids = rows.stream().mapToLong(row -> row.length).sum();
    long blocks = ids * shape.copies() * shape.factor();
    long megabytes = BASE_MEGABYTES + ((blocks * BYTES_A_QUERY_BLOCK) >> 20);
    return MeasuringProcess.start(IndexProcess.class, megabytes, arguments(trace, shape));
  }

  static List<String> arguments(Path trace, LogShape shape) {
    return List.of(
        trace.toString(),
        "" + shape.copies(),
        "" + shape.factor(),
        "" + shape.workers(),
        "" + shape.capacity(),
        "" + shape.holdOut(),
        shape.assign().name(),
        shape.evict().name());
  }

  static LogShape shape(String[] args) {
    return new LogShape(
        Integer.parseInt(args[1]),
        Integer.parseInt(args[2]),
        Integer.parseInt(args[3]),
        Integer.parseInt(args[4]),
        Integer.parseInt(args[5]),
        LogShape.Assign.valueOf(args[6]),
        LogShape.Evict.valueOf(args[7]));
  }

  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    OperationLog log = OperationLog.of(TraceHashes.read(Path.of(args[0])), shape(args));
    IndexMeasurements index = IndexMeasurements.of(log);
    MixedLoad mixed = new MixedLoad(log);
    MeasuringProcess.serve(
        answers,
        command ->
            switch (command) {
              case ONCE -> index.once();
              case MIXED -> mixed.round();
              default -> index.round(Integer.parseInt(command));
            });
  }
}
