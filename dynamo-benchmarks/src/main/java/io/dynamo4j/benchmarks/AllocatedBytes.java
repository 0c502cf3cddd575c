// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Bytes that an operation allocates on this thread, once it is compiled. */
public final class AllocatedBytes {
  private static final int WARM_UP_RUNS = 20_000;
  private static final int RUNS = 1_000;
  private static final int ATTEMPTS = 5;

  private AllocatedBytes() {}

  /**
   * Returns bytes a run: the least of a few attempts, so that a late compilation does not count.
   */
  public static double perRun(Runnable operation) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    repeat(operation, WARM_UP_RUNS);
    long least = Long.MAX_VALUE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      repeat(operation, RUNS);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return (double) least / RUNS;
  }

  private static void repeat(Runnable operation, int runs) {
    for (int i = 0; i < runs; i++) {
      operation.run();
    }
  }
}
