// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Access to cells of arrays that one thread writes while others read, the order in the name. */
final class Racy {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private Racy() {}

  /** Reads a cell before anything that comes later is read. */
  static long getAcquire(long[] array, int index) {
    return (long) LONGS.getAcquire(array, index);
  }

  /** Reads a cell as one whole, now and not at another time. */
  static long getOpaque(long[] array, int index) {
    return (long) LONGS.getOpaque(array, index);
  }

  /** Writes a cell after everything that came before is written. */
  static void setRelease(long[] array, int index, long value) {
    LONGS.setRelease(array, index, value);
  }

  /** Writes a cell as one whole. */
  static void setOpaque(long[] array, int index, long value) {
    LONGS.setOpaque(array, index, value);
  }
}
