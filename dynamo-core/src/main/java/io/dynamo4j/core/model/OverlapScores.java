// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Result of one prefix lookup: how many leading blocks of the query each worker holds.
 *
 * <p>Owned by the caller and reused from lookup to lookup, so that a lookup makes no garbage.
 * Workers without a match are absent. Order is that of the index and means nothing.
 *
 * <p><b>Threads.</b> Not thread-safe: one caller.
 */
public final class OverlapScores {
  private static final int INITIAL_ROOM = 16;

  // Who the numbers stand for: an index's table, or the workers that were added by name.
  private @Nullable WorkerWithDpRank[] table;
  private @Nullable WorkerWithDpRank[] named = new WorkerWithDpRank[INITIAL_ROOM];
  private int[] numbers = new int[INITIAL_ROOM];
  private int[] depths = new int[INITIAL_ROOM];
  private int size;
  // 0, 1, 2 and so on, as far as whole words of numbers were added.
  private int[] ascending = {};
  private @Nullable Object kept;

  private OverlapScores() {
    table = named;
  }

  public static OverlapScores create() {
    return new OverlapScores();
  }

  /** Forgets the last result and keeps its room. */
  public void clear() {
    table = named;
    size = 0;
  }

  /**
   * Forgets the last result; the next one says its workers by number, {@link #addNumbered}.
   *
   * @param workers the workers by number; kept, and never written to again by anybody
   */
  public void clearForNumbers(@Nullable WorkerWithDpRank[] workers) {
    table = workers;
    size = 0;
  }

  /**
   * Adds one worker; the index calls this, at most once a worker, after {@link #clear()}.
   *
   * @param depth matched leading blocks, at least 1
   */
  public void add(WorkerWithDpRank worker, int depth) {
    Objects.requireNonNull(worker, "worker");
    if (size == named.length) {
      named = Arrays.copyOf(named, size * 2);
      table = named;
    }
    named[size] = worker;
    addNumbered(size, 1L, depth);
  }

  /**
   * Adds workers by number, after {@link #clearForNumbers}: a store of two ints each, where adding
   * by name costs a reference as well.
   *
   * @param first number that the lowest bit stands for
   * @param bits which of the 64 numbers from there on are added
   * @param depth matched leading blocks of each, at least 1
   */
  public void addNumbered(int first, long bits, int depth) {
    int needed = size + Long.bitCount(bits);
    makeRoom(needed);
    int[] toNumbers = numbers;
    int[] toDepths = depths;
    // Counted, so that no store is checked against the arrays' lengths.
    long left = bits;
    for (int at = size; at < needed; at++) {
      toNumbers[at] = first + Long.numberOfTrailingZeros(left);
      toDepths[at] = depth;
      left &= left - 1;
    }
    size = needed;
  }

  /**
   * As {@link #addNumbered(int, long, int)}, of a set of numbers: where many follow one another, as
   * where a fleet shares a prefix, they are copied and not counted out one by one.
   *
   * @param bits the set, number 0 in the lowest bit of the first word
   * @param words how many of its words count
   * @param depth matched leading blocks of each, at least 1
   */
  public void addNumbered(long[] bits, int words, int depth) {
    int word = 0;
    while (word < words) {
      int end = word;
      while (end < words && bits[end] == -1L) {
        end++;
      }
      if (end > word) {
        addRange(word << 6, (end - word) << 6, depth);
        word = end;
      } else {
        addNumbered(word << 6, bits[word], depth);
        word++;
      }
    }
  }

  /**
   * As {@link #addNumbered(int, long, int)}, of numbers that follow one another.
   *
   * @param first the least of them
   * @param count how many
   * @param depth matched leading blocks of each, at least 1
   */
  public void addRange(int first, int count, int depth) {
    int needed = size + count;
    makeRoom(needed);
    if (first + count > ascending.length) {
      ascending = new int[Math.max(first + count, 2 * ascending.length)];
      Arrays.setAll(ascending, i -> i);
    }
    System.arraycopy(ascending, first, numbers, size, count);
    Arrays.fill(depths, size, needed, depth);
    size = needed;
  }

  private void makeRoom(int needed) {
    if (needed > depths.length) {
      numbers = Arrays.copyOf(numbers, Math.max(needed, size * 2));
      depths = Arrays.copyOf(depths, numbers.length);
    }
  }

  /**
   * Adds all of another result, disjoint with what is here, by its numbers: for results that are
   * joined to one, whose table has the workers of each after those of the one before.
   *
   * @param other a result whose workers were added by number
   * @param shift number in this one's table that the other's number 0 stands for
   */
  public void addAllNumbered(OverlapScores other, int shift) {
    int added = other.size;
    int needed = size + added;
    makeRoom(needed);
    System.arraycopy(other.depths, 0, depths, size, added);
    int[] from = other.numbers;
    int[] to = numbers;
    for (int i = 0, at = size; i < added; i++, at++) {
      to[at] = from[i] + shift;
    }
    size = needed;
  }

  /** Returns the workers that numbers stand for; not to be modified. */
  public @Nullable WorkerWithDpRank[] workersByNumber() {
    return table;
  }

  /**
   * Returns whether workers were added by number, so that what is known of {@link
   * #workersByNumber}, the very array, stays true: nobody writes to it.
   */
  public boolean isNumbered() {
    return table != named;
  }

  /** Forgets all workers but the first {@code count} added. */
  public void truncate(int count) {
    size = Objects.checkIndex(count, size + 1);
  }

  /**
   * Sets the depth of {@code worker(index)}; 0 takes it out, by the last one in its place.
   *
   * @param depth matched leading blocks, at most what they were
   */
  public void lower(int index, int depth) {
    Objects.checkIndex(index, size);
    if (depth > 0) {
      depths[index] = depth;
    } else {
      size--;
      numbers[index] = numbers[size];
      depths[index] = depths[size];
    }
  }

  /** Returns the number by which {@code worker(index)} was added. */
  public int number(int index) {
    return numbers[Objects.checkIndex(index, size)];
  }

  /**
   * Returns what an index last left here by {@link #keepForIndex}, null at first: its own state of
   * a lookup, so that the next one needs none of its own.
   */
  public @Nullable Object keptForIndex() {
    return kept;
  }

  /** Leaves an index's own state here. */
  public void keepForIndex(Object state) {
    kept = Objects.requireNonNull(state, "state");
  }

  /** Returns the number of workers that matched at least one block. */
  public int size() {
    return size;
  }

  public WorkerWithDpRank worker(int index) {
    return Objects.requireNonNull(table[numbers[Objects.checkIndex(index, size)]], "worker");
  }

  /** Returns matched leading blocks of {@code worker(index)}. */
  public int depth(int index) {
    return depths[Objects.checkIndex(index, size)];
  }

  /** Returns matched leading blocks of a worker, 0 if it is absent. O({@link #size()}). */
  public int depthOf(WorkerWithDpRank worker) {
    for (int i = 0; i < size; i++) {
      if (worker.equals(table[numbers[i]])) {
        return depths[i];
      }
    }
    return 0;
  }
}
