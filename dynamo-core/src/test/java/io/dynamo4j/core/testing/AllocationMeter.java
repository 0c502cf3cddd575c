// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Counts the bytes that the calling thread allocates in an operation, warmed up.
 *
 * <p>Before the first measurement it measures a planted object of 16 bytes and fails if that is not
 * seen: a meter that sees nothing proves nothing.
 */
public final class AllocationMeter {
  private static final int WARM_UP_ROUNDS = 20_000;
  private static final int ROUNDS = 1_000;
  private static final int ATTEMPTS = 5;

  private final ThreadMXBean threads;
  private Object sink = this;

  private AllocationMeter(ThreadMXBean threads) {
    this.threads = threads;
  }

  /**
   * Returns a meter that has been seen to work.
   *
   * @throws AssertionError if it does not see a planted object
   */
  public static AllocationMeter create() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    threads.setThreadAllocatedMemoryEnabled(true);
    AllocationMeter meter = new AllocationMeter(threads);
    double planted = meter.bytesPerRun(() -> meter.sink = new Object[0]);
    if (planted < 16) {
      throw new AssertionError("planted object of 16 bytes was not seen: bytes=" + planted);
    }
    return meter;
  }

  /**
   * Returns the bytes allocated by one run of {@code operation}, warmed up: the least of a few
   * attempts over 1,000 runs each, so that a late compilation does not count.
   */
  public double bytesPerRun(Runnable operation) {
    run(operation, WARM_UP_ROUNDS);
    long least = Long.MAX_VALUE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      run(operation, ROUNDS);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return (double) least / ROUNDS;
  }

  /** Returns the bytes allocated by one single run, not warmed up. */
  public long bytesOfOneRun(Runnable operation) {
    long before = threads.getCurrentThreadAllocatedBytes();
    operation.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static void run(Runnable operation, int rounds) {
    for (int i = 0; i < rounds; i++) {
      operation.run();
    }
  }
}
