// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.router;

import io.dynamo4j.benchmarks.MeasuringProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** Measures decisions in a JVM of its own; a line of input is the name of a measurement. */
public final class RouterProcess {
  static final String DECISION = "decision";
  static final String HASHING = "hashing";
  static final String TWO_THREADS = "2";
  static final String EIGHT_THREADS = "8";

  private static final long MEGABYTES = 2_048;
  private static final int DECISIONS = 8_000;

  private RouterProcess() {}

  static MeasuringProcess start(int workers) throws IOException {
    return MeasuringProcess.start(
        RouterProcess.class, MEGABYTES, List.of(Integer.toString(workers)));
  }

  public static void main(String[] args) {
    PrintStream answers = System.out;
    System.setOut(System.err);
    try (RouterMeasurements router = new RouterMeasurements(Integer.parseInt(args[0]), DECISIONS)) {
      MeasuringProcess.serve(
          answers,
          command ->
              switch (command) {
                case DECISION -> router.decisions(false);
                case HASHING -> router.decisions(true);
                case TWO_THREADS, EIGHT_THREADS -> router.threads(Integer.parseInt(command));
                default -> throw new IllegalArgumentException("no such measurement: " + command);
              });
    }
  }
}
