// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The slots that hold every block of a node's edge, as the writer sees and changes them. Where a
 * layout has no bits for all, a node's record has {@link SlotNumbers}, or says that it has a crowd.
 *
 * <p><b>Threads.</b> One writer. {@link #addAtOnce} may run beside readers; whatever else changes a
 * set is for nodes that are changing.
 */
final class FullHolders {
  private FullHolders() {}

  static boolean contains(NodeLayout layout, int node, int slot) {
    long[] chunk = chunk(layout, node);
    int at = layout.base(node) + NodeLayout.WORDS;
    if (layout.hasBits()) {
      return (chunk[at + (slot >> 6)] & 1L << slot) != 0;
    }
    if (chunk[at] != SlotNumbers.CROWD) {
      return SlotNumbers.contains(chunk, at, slot);
    }
    long[] crowd = crowd(layout, node);
    return slot >> 6 < crowd.length && (crowd[slot >> 6] & 1L << slot) != 0;
  }

  /** Adds a slot by one store; returns false, and has done nothing, if it takes more than that. */
  static boolean addAtOnce(NodeLayout layout, int node, int slot) {
    long[] chunk = chunk(layout, node);
    int at = layout.base(node) + NodeLayout.WORDS;
    if (!layout.hasBits()) {
      return contains(layout, node, slot) || addToFew(layout, node, slot);
    }
    int word = at + (slot >> 6);
    Racy.setRelease(chunk, word, chunk[word] | 1L << slot);
    return true;
  }

  private static boolean addToFew(NodeLayout layout, int node, int slot) {
    long[] chunk = chunk(layout, node);
    int at = layout.base(node) + NodeLayout.WORDS;
    if (chunk[at] == SlotNumbers.CROWD) {
      long[] crowd = crowd(layout, node);
      int word = slot >> 6;
      if (word < crowd.length) {
        Racy.setRelease(crowd, word, crowd[word] | 1L << slot);
      }
      return word < crowd.length;
    }
    boolean hasRoom = SlotNumbers.count(chunk, at) < layout.form().mostNumbers();
    if (hasRoom) {
      SlotNumbers.add(chunk, at, slot);
    }
    return hasRoom;
  }

  /** Adds a slot that is not there. */
  static void add(NodeLayout layout, int node, int slot) {
    if (!addAtOnce(layout, node, slot)) {
      long[] bits = bits(layout, node);
      bits = Arrays.copyOf(bits, Math.max(bits.length, (slot >> 6) + 1));
      bits[slot >> 6] |= 1L << slot;
      write(layout, node, bits);
    }
  }

  /** Takes out a slot that is there. */
  static void remove(NodeLayout layout, int node, int slot) {
    long[] chunk = chunk(layout, node);
    int at = layout.base(node) + NodeLayout.WORDS;
    if (layout.hasBits()) {
      chunk[at + (slot >> 6)] ^= 1L << slot;
    } else if (chunk[at] != SlotNumbers.CROWD) {
      SlotNumbers.remove(chunk, at, slot);
    } else {
      long[] crowd = crowd(layout, node);
      crowd[slot >> 6] ^= 1L << slot;
      if (isFew(crowd, layout.form().fewAgain())) {
        write(layout, node, crowd);
      }
    }
  }

  /** Returns whether no more than some bits are set. */
  private static boolean isFew(long[] bits, int most) {
    int count = 0;
    for (int word = 0; word < bits.length && count <= most; word++) {
      count += Long.bitCount(bits[word]);
    }
    return count <= most;
  }

  static boolean isEmpty(NodeLayout layout, int node) {
    long[] chunk = chunk(layout, node);
    int at = layout.base(node) + NodeLayout.WORDS;
    for (int word = 0; word < layout.words(); word++) {
      if (chunk[at + word] != 0) {
        return false; // a crowd is never empty
      }
    }
    return true;
  }

  /** Returns whether nobody but a slot is there, and perhaps not even that. */
  static boolean isNobodyBut(NodeLayout layout, int node, int slot) {
    long[] chunk = chunk(layout, node);
    int at = layout.base(node) + NodeLayout.WORDS;
    if (!layout.hasBits()) {
      // A crowd is more than one.
      int count = chunk[at] == SlotNumbers.CROWD ? 2 : SlotNumbers.count(chunk, at);
      return count == 0 || (count == 1 && SlotNumbers.contains(chunk, at, slot));
    }
    long bit = 1L << slot;
    for (int word = 0; word < layout.words(); word++) {
      if ((chunk[at + word] & ~(word == slot >> 6 ? bit : 0)) != 0) {
        return false;
      }
    }
    return true;
  }

  static boolean areAlike(NodeLayout layout, int one, int other) {
    if (layout.hasBits()) {
      int from = layout.base(one) + NodeLayout.WORDS;
      int to = layout.base(other) + NodeLayout.WORDS;
      int words = layout.words();
      return Arrays.equals(
          chunk(layout, one), from, from + words, chunk(layout, other), to, to + words);
    }
    int[] balance = {0};
    forEach(layout, one, slot -> balance[0] += contains(layout, other, slot) ? 0 : 1);
    forEach(layout, other, slot -> balance[0] += contains(layout, one, slot) ? 0 : 1);
    return balance[0] == 0;
  }

  /** Makes the slots of a node those of another. */
  static void copy(NodeLayout layout, int from, int to) {
    int start = layout.base(from) + NodeLayout.WORDS;
    int target = layout.base(to) + NodeLayout.WORDS;
    System.arraycopy(chunk(layout, from), start, chunk(layout, to), target, layout.words());
    if (!layout.hasBits() && chunk(layout, to)[target] == SlotNumbers.CROWD) {
      layout.setCrowd(to, crowd(layout, from).clone());
    }
  }

  static void clear(NodeLayout layout, int node) {
    int at = layout.base(node) + NodeLayout.WORDS;
    if (!layout.hasBits() && chunk(layout, node)[at] == SlotNumbers.CROWD) {
      layout.setCrowd(node, null);
    }
    Arrays.fill(chunk(layout, node), at, at + layout.words(), 0);
  }

  static void forEach(NodeLayout layout, int node, IntConsumer action) {
    long[] bits = bits(layout, node);
    for (int word = 0; word < bits.length; word++) {
      for (long left = bits[word]; left != 0; left &= left - 1) {
        action.accept((word << 6) + Long.numberOfTrailingZeros(left));
      }
    }
  }

  /** Returns the slots as bits, in an array that is not to be written to. */
  private static long[] bits(NodeLayout layout, int node) {
    long[] chunk = chunk(layout, node);
    int at = layout.base(node) + NodeLayout.WORDS;
    if (layout.hasBits()) {
      return Arrays.copyOfRange(chunk, at, at + layout.words());
    }
    if (chunk[at] == SlotNumbers.CROWD) {
      return crowd(layout, node);
    }
    long[] bits = {};
    for (int i = 0; i < SlotNumbers.ROOM; i++) {
      int slot = SlotNumbers.slot(chunk[at + (i >> 2)], i & 3);
      if (slot >= 0) {
        bits = Arrays.copyOf(bits, Math.max(bits.length, (slot >> 6) + 1));
        bits[slot >> 6] |= 1L << slot;
      }
    }
    return bits;
  }

  /** Sets the slots of a node, of a layout without bits for all, in the form that fits them. */
  static void write(NodeLayout layout, int node, long[] bits) {
    clear(layout, node);
    long[] chunk = chunk(layout, node);
    int at = layout.base(node) + NodeLayout.WORDS;
    if (!isFew(bits, layout.form().mostNumbers())) {
      layout.setCrowd(node, bits);
      chunk[at] = SlotNumbers.CROWD;
      return;
    }
    for (int word = 0; word < bits.length; word++) {
      for (long left = bits[word]; left != 0; left &= left - 1) {
        SlotNumbers.add(chunk, at, (word << 6) + Long.numberOfTrailingZeros(left));
      }
    }
  }

  private static long[] chunk(NodeLayout layout, int node) {
    return Objects.requireNonNull(layout.chunk(node));
  }

  private static long[] crowd(NodeLayout layout, int node) {
    long @Nullable [] crowd = layout.crowd(node);
    return Objects.requireNonNull(crowd);
  }
}
