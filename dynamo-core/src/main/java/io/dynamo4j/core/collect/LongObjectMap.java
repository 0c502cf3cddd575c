// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.collect;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Map from any {@code long}, zero included, to objects: open addressing, linear probing, deletion
 * by shifting back, so that churn leaves no marks behind.
 *
 * <p>Keys may be chosen by a peer: they are mixed with a seed that the owner draws, so that crafted
 * keys do not cluster. Iteration order depends on the seed; nothing here iterates in a result.
 *
 * <p><b>Cost.</b> O(1) expected; load at most 2/3; allocates only when it grows or shrinks.
 *
 * <p><b>Threads.</b> Not thread-safe.
 */
public final class LongObjectMap<V> {
  private static final int MIN_CAPACITY = 4;

  private final long seed;
  private long[] keys = new long[MIN_CAPACITY];
  private @Nullable Object[] values = new Object[MIN_CAPACITY];
  private int size;

  private LongObjectMap(long seed) {
    this.seed = seed;
  }

  /** Returns an empty map whose order of slots depends on {@code seed}. */
  public static <V> LongObjectMap<V> create(long seed) {
    return new LongObjectMap<>(seed);
  }

  public int size() {
    return size;
  }

  /** Returns the value of a key, null if absent. */
  @SuppressWarnings("unchecked") // only put() writes values
  public @Nullable V get(long key) {
    return (V) values[slotOf(key)];
  }

  /** Sets the value of a key and returns the one before, null if there was none. */
  @SuppressWarnings("unchecked") // only put() writes values
  public @Nullable V put(long key, V value) {
    Objects.requireNonNull(value, "value");
    int slot = slotOf(key);
    V before = (V) values[slot];
    keys[slot] = key;
    values[slot] = value;
    if (before == null) {
      size++;
      if (size * 3L > keys.length * 2L) {
        resize(keys.length * 2);
      }
    }
    return before;
  }

  /** Removes a key and returns its value, null if there was none. */
  @SuppressWarnings("unchecked") // only put() writes values
  public @Nullable V remove(long key) {
    int slot = slotOf(key);
    V before = (V) values[slot];
    if (before == null) {
      return null;
    }
    closeGap(slot);
    size--;
    if (keys.length > MIN_CAPACITY && size * 4L < keys.length) {
      resize(keys.length / 2);
    }
    return before;
  }

  /** Visits every entry; the map must not change meanwhile. Order means nothing. */
  @SuppressWarnings("unchecked") // only put() writes values
  public void forEach(LongObjectConsumer<? super V> action) {
    for (int slot = 0; slot < keys.length; slot++) {
      V value = (V) values[slot];
      if (value != null) {
        action.accept(keys[slot], value);
      }
    }
  }

  /** Receives one entry. */
  @FunctionalInterface
  public interface LongObjectConsumer<V> {
    void accept(long key, V value);
  }

  private int slotOf(long key) {
    int mask = keys.length - 1;
    int slot = home(key, mask);
    while (values[slot] != null && keys[slot] != key) {
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
    while (values[slot] != null) {
      int home = home(keys[slot], mask);
      if (((slot - home) & mask) >= ((slot - gap) & mask)) {
        keys[gap] = keys[slot];
        values[gap] = values[slot];
        gap = slot;
      }
      slot = (slot + 1) & mask;
    }
    values[gap] = null;
  }

  private void resize(int capacity) {
    long[] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    keys = new long[capacity];
    values = new Object[capacity];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldValues[i] != null) {
        int slot = slotOf(oldKeys[i]);
        keys[slot] = oldKeys[i];
        values[slot] = oldValues[i];
      }
    }
  }
}
