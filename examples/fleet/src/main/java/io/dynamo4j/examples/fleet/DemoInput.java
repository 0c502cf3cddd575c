// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.trace.InfiniteCacheCeiling;
import io.dynamo4j.simulation.trace.SyntheticTrace;
import io.dynamo4j.simulation.trace.TraceFormatException;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import java.nio.file.Path;
import java.util.List;

/** Reads or makes the trace and refuses one that the fleet cannot serve. */
final class DemoInput {

  private static final double MAX_VIRTUAL_NANOS = 1e18;

  private DemoInput() {}

  /**
   * Returns what is to be served.
   *
   * @throws DemoInputException if the file cannot be read, or a request cannot fit into a worker
   */
  static DemoTrace read(DemoOptions options, FleetConfig fleet) {
    int limit = options.requestLimit();
    List<TraceRow> rows =
        options.trace == null
            ? SyntheticTrace.generate(options.seed, limit)
            : fromFile(options.trace, limit);
    checkCapacity(rows, options.blockSize, options.blocks);
    checkTime(rows, fleet);
    String name =
        options.trace == null ? "built-in conversation" : options.trace.getFileName().toString();
    return new DemoTrace(
        name,
        rows,
        InfiniteCacheCeiling.of(rows, TraceReader.MOONCAKE_BLOCK_SIZE, options.blockSize)
            .hitRate());
  }

  private static List<TraceRow> fromFile(Path file, int limit) {
    try {
      List<TraceRow> rows = TraceReader.read(file);
      return rows.size() > limit ? rows.subList(0, limit) : rows;
    } catch (TraceFormatException e) {
      throw new DemoInputException(String.valueOf(e.getMessage()));
    }
  }

  private static void checkTime(List<TraceRow> rows, FleetConfig fleet) {
    double lastNanos = rows.get(rows.size() - 1).timestampMillis() * 1e6 / fleet.arrivalSpeedup();
    if (lastNanos > MAX_VIRTUAL_NANOS) {
      throw new DemoInputException(
          "the trace lasts too long at this speed-up: days="
              + Math.round(lastNanos / 86_400e9)
              + ", arrivalSpeedup="
              + fleet.arrivalSpeedup());
    }
  }

  private static void checkCapacity(List<TraceRow> rows, int blockSize, int blocks) {
    long capacity = (long) blockSize * blocks;
    for (int i = 0; i < rows.size(); i++) {
      TraceRow row = rows.get(i);
      long tokens = (long) row.inputLength() + row.outputLength();
      if (tokens > capacity) {
        throw new DemoInputException(
            "a worker cannot hold the request: request="
                + (i + 1)
                + ", tokens="
                + tokens
                + ", capacity="
                + capacity);
      }
    }
  }
}
