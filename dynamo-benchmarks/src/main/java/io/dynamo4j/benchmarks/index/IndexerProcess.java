// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.MeasuringProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

/** Measures the whole indexer on one log; a line of input is the name of a measurement. */
public final class IndexerProcess {
  static final String APPLY = "apply";
  static final String LOOKUPS = "lookups";
  static final String FED = "fed";
  static final String VISIBLE = "visible";
  static final String SNAPSHOT = "snapshot";
  static final String RECOVERY = "recovery";
  static final String DECODING = "decoding";
  static final String LOG = "log";

  private static final long MEGABYTES = 5_120;

  private IndexerProcess() {}

  /** Starts the process. */
  static MeasuringProcess start(IndexOptions.Target target) throws IOException {
    return MeasuringProcess.start(
        IndexerProcess.class, MEGABYTES, IndexProcess.arguments(target.trace(), target.shape()));
  }

  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    OperationLog log =
        OperationLog.of(TraceHashes.read(Path.of(args[0])), IndexProcess.shape(args));
    IndexerMeasurements indexer = new IndexerMeasurements(log, IndexerSizes.FULL);
    MeasuringProcess.serve(
        answers,
        command ->
            switch (command) {
              case LOG -> Long.toHexString(log.checksum());
              case APPLY -> indexer.apply();
              case LOOKUPS -> indexer.lookups();
              case FED -> indexer.fed();
              case VISIBLE -> indexer.visible();
              case SNAPSHOT -> indexer.snapshot();
              case RECOVERY -> indexer.recovery();
              case DECODING -> indexer.decoding();
              default -> throw new IllegalArgumentException("no such measurement: " + command);
            });
  }
}
