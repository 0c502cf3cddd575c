// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import java.lang.management.ManagementFactory;

/** Live heap after collection, from one moment on. */
public final class HeapBytes {
  // The serial collector leaves some of the dead in place except in every fourth collection.
  private static final int COLLECTIONS = 4;

  private final long before = live();

  /** Collects garbage and returns how many more bytes live now, at least one. */
  public double more() {
    return (double) Math.max(1, live() - before);
  }

  private static long live() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
