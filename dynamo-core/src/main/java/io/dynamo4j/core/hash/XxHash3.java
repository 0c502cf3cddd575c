// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import java.util.Objects;

/**
 * XXH3, 64 bits, with one seed.
 *
 * <p>An instance holds what the algorithm derives from its seed; make one per seed and keep it. The
 * static methods derive it anew and are for single values.
 *
 * <p><b>Shapes and units.</b> Arrays are hashed in place as if their elements were written one
 * after the other in little-endian order, so that equal bytes hash alike whatever type carries
 * them. A result is an unsigned 64-bit pattern.
 *
 * <p><b>Threads.</b> Immutable; safe for concurrent use.
 *
 * <p><b>Cost.</b> O(length), no allocation by instance methods; a static method allocates about
 * half a kilobyte.
 *
 * <p><b>Source.</b> {@code XXH3_64bits_withSeed} of the xxHash specification, version 0.8.
 */
public final class XxHash3 {
  private final long seed;
  private final Keys keys;

  private XxHash3(long seed) {
    this.seed = seed;
    this.keys = Keys.of(seed);
  }

  /** Returns a hasher for one seed; 0 gives plain XXH3. */
  public static XxHash3 seeded(long seed) {
    return new XxHash3(seed);
  }

  public long seed() {
    return seed;
  }

  /**
   * Hashes {@code length} bytes from {@code offset} on.
   *
   * @throws IndexOutOfBoundsException if the range is not inside the array
   */
  public long hash(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    return ByteKernel.hash(bytes, offset, length, keys);
  }

  /**
   * Hashes {@code 4 * count} bytes: the little-endian form of {@code count} ints.
   *
   * @throws IndexOutOfBoundsException if the range is not inside the array
   */
  public long hash(int[] ints, int offset, int count) {
    Objects.checkFromIndexSize(offset, count, ints.length);
    return IntKernel.hash(ints, offset, count, keys);
  }

  /**
   * Hashes {@code count} windows of an array, the first at {@code offset}, the others {@code
   * stride} apart. The caller has checked that all lie inside the array.
   */
  void hashAll(int[] ints, int offset, int stride, int window, int count, long[] out) {
    IntKernel.hashAll(ints, offset, stride, window, count, keys, out);
  }

  /**
   * Hashes {@code 8 * count} bytes: the little-endian form of {@code count} longs.
   *
   * @throws IndexOutOfBoundsException if the range is not inside the array
   */
  public long hash(long[] longs, int offset, int count) {
    Objects.checkFromIndexSize(offset, count, longs.length);
    return LongKernel.hash(longs, offset, count, keys);
  }

  /** Hashes 16 bytes: the little-endian form of two longs. */
  public long hash(long first, long second) {
    return Rounds.of9To16Bytes(first, second, 16, keys);
  }

  /** Hashes bytes once; as {@code seeded(seed).hash(bytes, offset, length)}. */
  public static long hash(byte[] bytes, int offset, int length, long seed) {
    return seeded(seed).hash(bytes, offset, length);
  }

  /** Hashes ints once; as {@code seeded(seed).hash(ints, offset, count)}. */
  public static long hash(int[] ints, int offset, int count, long seed) {
    return seeded(seed).hash(ints, offset, count);
  }

  /** Hashes longs once; as {@code seeded(seed).hash(longs, offset, count)}. */
  public static long hash(long[] longs, int offset, int count, long seed) {
    return seeded(seed).hash(longs, offset, count);
  }

  @Override
  public String toString() {
    return "XxHash3[seed=" + Long.toUnsignedString(seed) + "]";
  }
}
