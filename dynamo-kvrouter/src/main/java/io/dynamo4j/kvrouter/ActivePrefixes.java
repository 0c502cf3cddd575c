// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.collect.LongIntMap;
import java.util.Arrays;

/**
 * Which ranks hold which block hash, and from that the longest active prefix on every rank at once.
 *
 * <p>Ranks are small dense numbers ("slots"). Each hash has a row of bits, one a slot; a query
 * walks its hashes once and intersects rows, so that it costs O(blocks · slots / 64) however many
 * ranks share the prefix, and ends where no rank is left.
 *
 * <p><b>Threads.</b> Not thread-safe.
 */
final class ActivePrefixes {
  private final LongIntMap rows; // hash -> row + 1
  private long[] bits = new long[64];
  private int stride = 1;
  private int rowCount;
  private int[] freeRows = new int[16];
  private int freeRowCount;
  private long[] alive = new long[1];

  ActivePrefixes(long seed) {
    this.rows = LongIntMap.create(seed);
  }

  /** Returns the number of hashes that any slot holds. */
  int hashCount() {
    return rows.size();
  }

  /** Marks a hash as held by a slot that did not hold it. */
  void add(int slot, long hash) {
    if (slot >= stride * Long.SIZE) {
      widen(slot);
    }
    int row = rows.get(hash) - 1;
    if (row < 0) {
      row = newRow();
      rows.put(hash, row + 1);
    }
    bits[row * stride + (slot >> 6)] |= 1L << slot;
  }

  /** Unmarks a hash that the slot holds. */
  void remove(int slot, long hash) {
    int row = rows.get(hash) - 1;
    int from = row * stride;
    bits[from + (slot >> 6)] &= ~(1L << slot);
    for (int word = from; word < from + stride; word++) {
      if (bits[word] != 0) {
        return;
      }
    }
    rows.put(hash, 0);
    releaseRow(row);
  }

  /**
   * Finds how many leading hashes each slot holds.
   *
   * @param depths receives the result by slot; entries of slots that hold nothing become 0
   */
  void matchDepths(long[] hashes, int count, int[] depths) {
    Arrays.fill(depths, 0);
    Arrays.fill(alive, -1L);
    for (int i = 0; i < count; i++) {
      int row = rows.get(hashes[i]) - 1;
      if (row < 0) {
        drop(-1, i, depths);
        return;
      }
      if (!drop(row * stride, i, depths)) {
        return;
      }
    }
    drop(-1, count, depths);
  }

  /**
   * Gives slots that end here their depth.
   *
   * @param from where the row of the hash at {@code depth} begins, negative if nobody holds it
   * @return whether any slot goes on
   */
  private boolean drop(int from, int depth, int[] depths) {
    long left = 0;
    for (int word = 0; word < stride; word++) {
      long goesOn = from < 0 ? 0 : alive[word] & bits[from + word];
      if (depth > 0) {
        for (long ends = alive[word] & ~goesOn; ends != 0; ends &= ends - 1) {
          depths[(word << 6) + Long.numberOfTrailingZeros(ends)] = depth;
        }
      }
      alive[word] = goesOn;
      left |= goesOn;
    }
    return left != 0;
  }

  private int newRow() {
    if (freeRowCount > 0) {
      return freeRows[--freeRowCount];
    }
    int row = rowCount++;
    if (rowCount * stride > bits.length) {
      bits = Arrays.copyOf(bits, Math.max(rowCount * stride, bits.length * 2));
    }
    return row;
  }

  private void releaseRow(int row) {
    if (freeRowCount == freeRows.length) {
      freeRows = Arrays.copyOf(freeRows, freeRowCount * 2);
    }
    freeRows[freeRowCount++] = row;
  }

  private void widen(int slot) {
    int wider = stride;
    while (slot >= wider * Long.SIZE) {
      wider *= 2;
    }
    long[] copy = new long[Math.max(64, rowCount * wider)];
    for (int row = 0; row < rowCount; row++) {
      System.arraycopy(bits, row * stride, copy, row * wider, stride);
    }
    bits = copy;
    stride = wider;
    alive = new long[wider];
  }
}
