// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How many bookings of each rank go through one run of blocks, and what a block of it weighs there.
 *
 * <p><b>Layout.</b> Ranks are small dense numbers. A bit for each says whether it counts; the
 * counts of those that do lie one after the other in the order of their numbers, so that 1,024
 * ranks cost 128 bytes and four for each that counts. Where a count lies is the number of bits
 * before its own. Weights, in the same order, exist only once one is not 1.
 *
 * <p><b>Invariants.</b> {@code size} bits are set; the first {@code size} counts are at least 1.
 *
 * <p><b>Threads.</b> Not thread-safe. <b>Cost.</b> O(ranks / 64) an operation, plus a shift of the
 * counts behind when a rank comes or goes.
 */
final class RankCounts {
  private static final int INITIAL_COUNTS = 2;
  private static final int KEPT_COUNTS = 64;

  private long[] bits = new long[1];
  private int[] counts = new int[INITIAL_COUNTS];
  private double @Nullable [] weights;
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns how many ranks count. */
  int size() {
    return size;
  }

  /** Returns how many bookings a rank has here. */
  int count(int rank) {
    return has(rank) ? counts[position(rank)] : 0;
  }

  /**
   * Counts another booking.
   *
   * @return whether it is the rank's first; its blocks weigh 1 then
   */
  boolean increment(int rank) {
    if (has(rank)) {
      counts[position(rank)]++;
      return false;
    }
    int word = rank >> 6;
    if (word >= bits.length) {
      bits = Arrays.copyOf(bits, word + 1);
    }
    insert(position(rank));
    bits[word] |= 1L << rank;
    return true;
  }

  /**
   * Takes back one booking of a rank that has some.
   *
   * @return whether it was the rank's last
   */
  boolean decrement(int rank) {
    int position = position(rank);
    if (--counts[position] > 0) {
      return false;
    }
    size--;
    System.arraycopy(counts, position + 1, counts, position, size - position);
    if (weights != null) {
      System.arraycopy(weights, position + 1, weights, position, size - position);
    }
    bits[rank >> 6] &= ~(1L << rank);
    return true;
  }

  /** Returns what a block weighs on a rank that counts. */
  double weight(int rank) {
    return weights == null ? 1 : weights[position(rank)];
  }

  /** Sets what a block weighs on a rank that counts. */
  void setWeight(int rank, double weight) {
    double[] known = weights;
    if (known == null) {
      if (weight == 1) {
        return;
      }
      known = new double[counts.length];
      Arrays.fill(known, 0, size, 1);
      weights = known;
    }
    known[position(rank)] = weight;
  }

  /** Returns whether blocks weigh the same here as there, where the same ranks count. */
  boolean weighsAs(RankCounts other) {
    for (int i = 0; i < size && (weights != null || other.weights != null); i++) {
      if (weightAt(i) != other.weightAt(i)) {
        return false;
      }
    }
    return true;
  }

  private double weightAt(int position) {
    return weights == null ? 1 : weights[position];
  }

  /** Becomes equal to another. */
  void copyFrom(RankCounts other) {
    if (bits.length < other.bits.length) {
      bits = other.bits.clone();
    } else {
      Arrays.fill(bits, 0);
      System.arraycopy(other.bits, 0, bits, 0, other.bits.length);
    }
    if (counts.length < other.size) {
      counts = new int[other.counts.length];
    }
    System.arraycopy(other.counts, 0, counts, 0, other.size);
    size = other.size;
    weights = other.weights == null ? null : Arrays.copyOf(other.weights, counts.length);
  }

  /** Forgets everything, and gives much room back. */
  void clear() {
    if (size > 0) {
      Arrays.fill(bits, 0);
    }
    size = 0;
    weights = null;
    if (counts.length > KEPT_COUNTS) {
      counts = new int[INITIAL_COUNTS];
    }
  }

  /**
   * Writes a depth for each rank that counts here and not there.
   *
   * @param except null for nobody
   */
  void spreadDepth(int depth, @Nullable RankCounts except, int[] depths) {
    int covered = except == null ? 0 : except.bits.length;
    for (int word = 0; word < bits.length; word++) {
      long left = bits[word];
      if (except != null && word < covered) {
        left &= ~except.bits[word];
      }
      for (int first = word << 6; left != 0; left &= left - 1) {
        depths[first + Long.numberOfTrailingZeros(left)] = depth;
      }
    }
  }

  private boolean has(int rank) {
    int word = rank >> 6;
    return word < bits.length && (bits[word] & (1L << rank)) != 0;
  }

  private int position(int rank) {
    int word = rank >> 6;
    int before = Long.bitCount(bits[word] & ((1L << rank) - 1));
    for (int i = 0; i < word; i++) {
      before += Long.bitCount(bits[i]);
    }
    return before;
  }

  private void insert(int position) {
    if (size == counts.length) {
      counts = Arrays.copyOf(counts, size * 2);
      weights = weights == null ? null : Arrays.copyOf(weights, size * 2);
    }
    System.arraycopy(counts, position, counts, position + 1, size - position);
    counts[position] = 1;
    if (weights != null) {
      System.arraycopy(weights, position, weights, position + 1, size - position);
      weights[position] = 1;
    }
    size++;
  }
}
