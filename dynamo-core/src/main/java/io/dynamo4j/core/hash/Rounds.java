// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

/**
 * The arithmetic of XXH3, free of where its input comes from.
 *
 * <p>Names follow the specification: a <i>fold</i> is the 128-bit product of two words, its halves
 * combined by exclusive or; an <i>avalanche</i> spreads every input bit over the result.
 */
final class Rounds {
  static final long PRIME64_1 = 0x9E3779B185EBCA87L;

  private static final long PRIME32_1 = 0x9E3779B1L;
  private static final long PRIME32_2 = 0x85EBCA77L;
  private static final long PRIME32_3 = 0xC2B2AE3DL;
  private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long PRIME64_3 = 0x165667B19E3779F9L;
  private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
  private static final long PRIME64_5 = 0x27D4EB2F165667C5L;

  private static final long PRIME_MX1 = 0x165667919E3779F9L;
  private static final long PRIME_MX2 = 0x9FB21C651E98DF25L;

  /** What the eight lanes begin with. */
  private static final long[] LANES = {
    PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
  };

  private Rounds() {}

  static long lane(int lane) {
    return LANES[lane];
  }

  static long fold(long a, long b) {
    return (a * b) ^ MultiplyHigh.unsigned(a, b);
  }

  /** Product of the lower and the upper half of a word: one lane of one stripe. */
  static long halves(long word) {
    return (word & 0xFFFFFFFFL) * (word >>> 32);
  }

  /** Stirs one lane after 16 stripes. */
  static long scramble(long lane, long key) {
    return (lane ^ (lane >>> 47) ^ key) * PRIME32_1;
  }

  static long avalanche(long hash) {
    long h = (hash ^ (hash >>> 37)) * PRIME_MX1;
    return h ^ (h >>> 32);
  }

  static long empty(Keys keys) {
    return avalanche64(keys.flip0);
  }

  static long of1To3Bytes(int first, int middle, int last, int length, Keys keys) {
    long combined = ((first << 16) | (middle << 24) | last | (length << 8)) & 0xFFFFFFFFL;
    return avalanche64(combined ^ keys.flip1To3);
  }

  /** Hash of 4 to 8 bytes by their first and last four, which may overlap. */
  static long of4To8Bytes(int first, int last, long length, Keys keys) {
    long h = ((last & 0xFFFFFFFFL) + ((long) first << 32)) ^ keys.flip4To8;
    h ^= Long.rotateLeft(h, 49) ^ Long.rotateLeft(h, 24);
    h *= PRIME_MX2;
    h ^= (h >>> 35) + length;
    h *= PRIME_MX2;
    return h ^ (h >>> 28);
  }

  /** Hash of 9 to 16 bytes by their first and last eight, which may overlap. */
  static long of9To16Bytes(long first, long last, long length, Keys keys) {
    long lo = first ^ keys.flip9To16Low;
    long hi = last ^ keys.flip9To16High;
    return avalanche(length + Long.reverseBytes(lo) + hi + fold(lo, hi));
  }

  private static long avalanche64(long hash) {
    long h = (hash ^ (hash >>> 33)) * PRIME64_2;
    h = (h ^ (h >>> 29)) * PRIME64_3;
    return h ^ (h >>> 32);
  }
}
