// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.collect;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Map from any {@code long}, zero included, to non-zero ints; an absent key has the value 0, so
 * that a reference count needs no test for presence.
 *
 * <p>Open addressing, linear probing, deletion by shifting back, so that churn leaves no marks
 * behind. Keys may be chosen by a peer: they are mixed with a seed that the owner draws, so that
 * crafted keys do not cluster.
 *
 * <p><b>Cost.</b> O(1) expected; load at most 2/3, and at least 8/25 of arrays of 512 and more, 1/4
 * of smaller ones, whatever came and went, but for room that was asked for and lasts until a key is
 * removed; allocates only when it grows or shrinks, and not then where {@link Spares} of that
 * length are left.
 *
 * <p><b>Threads.</b> Not thread-safe.
 */
public final class LongIntMap {
  private static final int MIN_CAPACITY = 8;
  private static final int LARGE = 512;
  private static final int MAX_CAPACITY = 1 << 30;

  private final long seed;
  private final @Nullable Spares spares;
  private long[] keys = new long[MIN_CAPACITY];
  private int[] values = new int[MIN_CAPACITY];
  private int size;

  private LongIntMap(long seed, @Nullable Spares spares) {
    this.seed = seed;
    this.spares = spares;
  }

  /** Returns an empty map whose order of slots depends on {@code seed}. */
  public static LongIntMap create(long seed) {
    return new LongIntMap(seed, null);
  }

  /**
   * As {@link #create(long)}, for one of many maps of a thread: what one has outgrown another
   * takes, so that sizes which swing about a limit allocate nothing.
   */
  public static LongIntMap create(long seed, Spares spares) {
    return new LongIntMap(seed, spares);
  }

  /** Returns the number of keys with a value other than 0. */
  public int size() {
    return size;
  }

  /** Returns the value of a key, 0 if absent. */
  public int get(long key) {
    return values[slotOf(key)];
  }

  /**
   * Sets the value of a key; 0 removes it.
   *
   * @return the value before
   */
  public int put(long key, int value) {
    int slot = slotOf(key);
    int before = values[slot];
    replace(slot, key, before, value);
    return before;
  }

  /**
   * Adds to the value of a key, which is 0 if absent; a key whose value becomes 0 is removed.
   *
   * @return the value after
   */
  public int add(long key, int delta) {
    int slot = slotOf(key);
    int before = values[slot];
    int after = before + delta;
    replace(slot, key, before, after);
    return after;
  }

  /**
   * Looks where some keys would be, all at once, so that the processor fetches those places side by
   * side before they are used one after the other.
   *
   * @return a number that means nothing; to be used, lest the looking be optimized away
   */
  public int touch(long[] some, int from, int count) {
    int mask = keys.length - 1;
    int seen = 0;
    for (int i = from; i < from + count; i++) {
      int slot = home(some[i], mask);
      seen += values[slot] + (int) keys[slot];
    }
    return seen;
  }

  /** As {@link #touch(long[], int, int)}, of one key. */
  public int touch(long key) {
    int slot = home(key, keys.length - 1);
    return values[slot] + (int) keys[slot];
  }

  /** Makes room for so many keys in all, so that adding them moves none. */
  public void makeRoom(int count) {
    int capacity = keys.length;
    while (count * 3L > capacity * 2L && capacity <= MAX_CAPACITY / 2) {
      capacity *= 2;
    }
    if (capacity > keys.length) {
      resize(capacity);
    }
  }

  /**
   * Copies every entry, in no order.
   *
   * @return how many there are; no more than {@code room} are copied
   */
  public int copyTo(long[] toKeys, int[] toValues, int room) {
    int copied = 0;
    for (int slot = 0; slot < keys.length && copied < room; slot++) {
      if (values[slot] != 0) {
        toKeys[copied] = keys[slot];
        toValues[copied++] = values[slot];
      }
    }
    return size;
  }

  /** Visits every entry; the map must not change meanwhile. Order means nothing. */
  public void forEach(LongIntConsumer action) {
    for (int slot = 0; slot < keys.length; slot++) {
      if (values[slot] != 0) {
        action.accept(keys[slot], values[slot]);
      }
    }
  }

  /** Receives one entry. */
  @FunctionalInterface
  public interface LongIntConsumer {
    void accept(long key, int value);
  }

  private void replace(int slot, long key, int before, int after) {
    if (after != 0) {
      keys[slot] = key;
      values[slot] = after;
      if (before == 0) {
        grow();
      }
    } else if (before != 0) {
      closeGap(slot);
      shrink();
    }
  }

  private void grow() {
    size++;
    if (size * 3L > keys.length * 2L) {
      resize(keys.length * 2);
    }
  }

  private boolean isSparse(int capacity) {
    // In a small array one key would be all that lies between growing and shrinking.
    return capacity < LARGE ? size * 4L < capacity : size * 25L < capacity * 8L;
  }

  /** By as much as it takes: room may have been made for keys that never came. */
  private void shrink() {
    size--;
    int capacity = keys.length;
    while (capacity > MIN_CAPACITY && isSparse(capacity)) {
      capacity /= 2;
    }
    if (capacity < keys.length) {
      resize(capacity);
    }
  }

  private int slotOf(long key) {
    int mask = keys.length - 1;
    int slot = home(key, mask);
    while (values[slot] != 0 && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int home(long key, int mask) {
    long mixed = (key ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    return (int) (mixed >>> 32) & mask;
  }

  /** Moves later members of the run into the freed slot while that keeps them reachable. */
  private void closeGap(int freed) {
    int mask = keys.length - 1;
    int gap = freed;
    int slot = (gap + 1) & mask;
    while (values[slot] != 0) {
      int home = home(keys[slot], mask);
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        keys[gap] = keys[slot];
        values[gap] = values[slot];
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    values[gap] = 0;
  }

  private void resize(int capacity) {
    long[] oldKeys = keys;
    int[] oldValues = values;
    int spare = spares == null ? -1 : spares.find(capacity);
    if (spares == null || spare < 0) {
      keys = new long[capacity];
      values = new int[capacity];
    } else {
      keys = spares.keys[spare];
      values = spares.values[spare];
      Arrays.fill(values, 0);
    }
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldValues[i] != 0) {
        int slot = slotOf(oldKeys[i]);
        keys[slot] = oldKeys[i];
        values[slot] = oldValues[i];
      }
    }
    if (spares != null) {
      spares.keep(spare, oldKeys, oldValues);
    }
  }

  /**
   * Arrays that maps have grown or shrunk out of, at most {@value #KEPT} pairs of at most {@value
   * #LONGEST} slots: 400 KB. Belongs to the thread of its maps.
   */
  public static final class Spares {
    private static final int KEPT = 8;
    private static final int LONGEST = 4_096;

    private final long[] none = new long[0];
    private final long[][] keys = new long[KEPT][0];
    private final int[][] values = new int[KEPT][0];
    private int next;

    /** Returns spares without any yet. */
    public static Spares create() {
      return new Spares();
    }

    private Spares() {}

    /** Returns where a pair of this length is, negative if there is none. */
    private int find(int length) {
      for (int i = 0; i < KEPT; i++) {
        if (keys[i].length == length) {
          return i;
        }
      }
      return -1;
    }

    /** Keeps a pair in the place of the one just taken, or else of the one kept longest. */
    private void keep(int taken, long[] oldKeys, int[] oldValues) {
      if (oldKeys.length <= LONGEST) {
        int place = taken < 0 ? next : taken;
        keys[place] = oldKeys;
        values[place] = oldValues;
        next = taken < 0 ? (next + 1) % KEPT : next;
      } else if (taken >= 0) {
        keys[taken] = none;
      }
    }
  }
}
