// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.util.Arrays;

/**
 * Arrays of unsigned 32-bit integers that a first walk over a message has read, by where they
 * stand, so that a second one copies them.
 *
 * <p>Only arrays of some length are worth it, and only as many numbers are kept as usual messages
 * have: what is not noted is read again.
 */
final class NotedIntegers {
  private static final int LEAST = 16;
  private static final int MOST = 1 << 16;

  private int[] values = new int[256];
  private int used;
  private int[] starts = new int[16];
  private int[] ends = new int[16];
  private int[] offsets = new int[16];
  private int count;

  /** Forgets everything, as for another message. */
  void clear() {
    used = 0;
    count = 0;
  }

  /** Returns whether an array of this length is to be noted. */
  boolean wants(long items) {
    return items >= LEAST && items <= MOST - used;
  }

  /** Returns where {@code items} numbers may be written, from {@link #used} on. */
  int[] reserve(int items) {
    if (values.length - used < items) {
      values = Arrays.copyOf(values, Math.max(2 * values.length, used + items));
    }
    return values;
  }

  int used() {
    return used;
  }

  /**
   * Keeps numbers that have been written.
   *
   * @param start position of the first one, behind that of every array noted before
   * @param end position behind the last one
   */
  void add(int start, int end, int items) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
      offsets = Arrays.copyOf(offsets, 2 * count);
    }
    starts[count] = start;
    ends[count] = end;
    offsets[count++] = used;
    used += items;
  }

  /**
   * Copies the array whose numbers begin at {@code start}, if it is noted and has this length.
   *
   * @return position behind its last number, -1 if it is not
   */
  int copy(int start, int[] out, int items) {
    int at = Arrays.binarySearch(starts, 0, count, start);
    if (at < 0) {
      return -1;
    }
    int noted = (at + 1 < count ? offsets[at + 1] : used) - offsets[at];
    if (noted != items) {
      return -1;
    }
    System.arraycopy(values, offsets[at], out, 0, items);
    return ends[at];
  }
}
