// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

/**
 * A few slots in {@link #LONGS} longs of an array, 16 bits each, in no order: 0 is nobody, else the
 * slot + 1. Adding a slot is one store.
 */
final class SlotNumbers {
  static final int LONGS = 2;

  /** Slots that there is room for. */
  static final int ROOM = 4 * LONGS;

  /** What the first long is if slots are bits elsewhere. */
  static final long CROWD = -1L;

  private static final long LOWEST = 0x0001_0001_0001_0001L;
  private static final long HIGHEST = LOWEST << 15;
  private static final long MASK = 0xffff;

  private SlotNumbers() {}

  /** Returns the slot of one of four numbers, negative if it is nobody. */
  static int slot(long numbers, int index) {
    return (int) (numbers >>> (index << 4) & MASK) - 1;
  }

  static boolean contains(long[] array, int at, int slot) {
    long sought = (slot + 1) * LOWEST;
    return (zeros(array[at] ^ sought) | zeros(array[at + 1] ^ sought)) != 0;
  }

  /** Returns how many slots there are. */
  static int count(long[] array, int at) {
    return count(array[at]) + count(array[at + 1]);
  }

  private static int count(long numbers) {
    int count = 0;
    for (long left = numbers; left != 0; left >>>= 16) {
      count += (left & MASK) == 0 ? 0 : 1;
    }
    return count;
  }

  /** Adds a slot that is not there, where there is room. */
  static void add(long[] array, int at, int slot) {
    int where = zeros(array[at]) != 0 ? at : at + 1;
    int shift = lowest(zeros(array[where]));
    Racy.setRelease(array, where, array[where] | (long) (slot + 1) << shift);
  }

  /** Takes out a slot that is there. */
  static void remove(long[] array, int at, int slot) {
    long sought = (slot + 1) * LOWEST;
    int where = zeros(array[at] ^ sought) != 0 ? at : at + 1;
    int shift = lowest(zeros(array[where] ^ sought));
    array[where] &= ~(MASK << shift);
  }

  /** Returns something in the highest bit of a number only if any is 0; the lowest is right. */
  private static long zeros(long numbers) {
    return (numbers - LOWEST) & ~numbers & HIGHEST;
  }

  /** Returns the shift of the lowest number that is marked. */
  private static int lowest(long marks) {
    return Long.numberOfTrailingZeros(marks) & ~15;
  }
}
