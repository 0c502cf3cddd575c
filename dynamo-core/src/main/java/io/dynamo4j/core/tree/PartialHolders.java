// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.Arrays;

/**
 * The slots that hold some blocks of an edge and not all, with a bit for each block held.
 *
 * <p><b>Threads.</b> One writer. Readers take {@link #slots}, {@link #masks} and {@link #size} as
 * they come, use no more of them than there is, and check the version of the node afterwards.
 */
final class PartialHolders {
  // By slot, ascending.
  private int[] slots = new int[2];
  private long[] masks = new long[2];
  private int size;

  int size() {
    return size;
  }

  int[] slots() {
    return slots;
  }

  long[] masks() {
    return masks;
  }

  int slot(int index) {
    return slots[index];
  }

  long mask(int index) {
    return masks[index];
  }

  /** Returns the mask of a slot, 0 if it holds nothing. */
  long maskOf(int slot) {
    int index = Arrays.binarySearch(slots, 0, size, slot);
    return index < 0 ? 0 : masks[index];
  }

  /** Sets the mask of a slot; 0 takes it out. */
  void put(int slot, long mask) {
    int index = Arrays.binarySearch(slots, 0, size, slot);
    if (index >= 0 && mask != 0) {
      masks[index] = mask;
    } else if (index >= 0) {
      removeAt(index);
    } else if (mask != 0) {
      insertAt(-index - 1, slot, mask);
    }
  }

  void removeAt(int index) {
    size--;
    System.arraycopy(slots, index + 1, slots, index, size - index);
    System.arraycopy(masks, index + 1, masks, index, size - index);
  }

  private void insertAt(int index, int slot, long mask) {
    if (size == slots.length) {
      slots = Arrays.copyOf(slots, size * 2);
      masks = Arrays.copyOf(masks, size * 2);
    }
    System.arraycopy(slots, index, slots, index + 1, size - index);
    System.arraycopy(masks, index, masks, index + 1, size - index);
    slots[index] = slot;
    masks[index] = mask;
    size++;
  }

  /** Returns the blocks that anybody here holds. */
  long union() {
    long union = 0;
    for (int i = 0; i < size; i++) {
      union |= masks[i];
    }
    return union;
  }

  void clear() {
    size = 0;
  }
}
