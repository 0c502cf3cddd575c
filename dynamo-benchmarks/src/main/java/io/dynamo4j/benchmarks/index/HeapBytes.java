// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import java.lang.management.ManagementFactory;

/** Live heap after collection, from one moment on. */
final class HeapBytes {
  private static final int COLLECTIONS = 3;

  private final long before = live();

  /** Returns how many more bytes live now. */
  double more() {
    return (double) (live() - before);
  }

  private static long live() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
