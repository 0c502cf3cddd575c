// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

/**
 * XXH3-64 over little-endian {@code long}s, read in place.
 *
 * <p>One kernel for each type of array, alike line by line: the compiler then sees one array type
 * in every loop, which a shared reader interface would hide from it. All arithmetic is in {@link
 * Rounds}. Positions and steps count longs.
 */
final class LongKernel {

  private LongKernel() {}

  static long hash(long[] a, int from, int count, Keys keys) {
    if (count > 2) {
      return ofMoreThan16Bytes(a, from, count, keys);
    }
    if (count == 2) {
      return Rounds.of9To16Bytes(a[from], a[from + 1], 16, keys);
    }
    if (count == 1) {
      return Rounds.of4To8Bytes((int) a[from], (int) (a[from] >>> 32), 8, keys);
    }
    return Rounds.empty(keys);
  }

  private static long ofMoreThan16Bytes(long[] a, int from, int count, Keys keys) {
    long length = 8L * count;
    if (length <= 128) {
      return of17To128Bytes(a, from, count, length, keys);
    }
    if (length <= 240) {
      return of129To240Bytes(a, from, count, length, keys);
    }
    return of241BytesAndMore(a, from, count, length, keys);
  }

  private static long of17To128Bytes(long[] a, int from, int count, long length, Keys keys) {
    long[] k = keys.words;
    long acc = length * Rounds.PRIME64_1;
    int last = from + count - 2;
    for (int i = (int) (length - 1) >>> 5; i >= 0; i--) {
      acc += mix(a, from + 2 * i, k, 4 * i);
      acc += mix(a, last - 2 * i, k, 4 * i + 2);
    }
    return Rounds.avalanche(acc);
  }

  private static long of129To240Bytes(long[] a, int from, int count, long length, Keys keys) {
    long[] k = keys.words;
    long acc = length * Rounds.PRIME64_1;
    for (int i = 0; i < 8; i++) {
      acc += mix(a, from + 2 * i, k, 2 * i);
    }
    acc = Rounds.avalanche(acc);
    int rounds = (int) length >>> 4;
    for (int i = 8; i < rounds; i++) {
      acc += mix(a, from + 2 * i, k, Keys.MID + 2 * (i - 8));
    }
    acc += mix(a, from + count - 2, k, Keys.MID_LAST);
    return Rounds.avalanche(acc);
  }

  /**
   * Eight lanes over stripes of 64 bytes. The lanes are locals, not an array, so that they stay in
   * registers: that is why this method is long.
   */
  private static long of241BytesAndMore(long[] a, int from, int count, long length, Keys keys) {
    long[] k = keys.words;
    long a0 = Rounds.PRIME32_3;
    long a1 = Rounds.PRIME64_1;
    long a2 = Rounds.PRIME64_2;
    long a3 = Rounds.PRIME64_3;
    long a4 = Rounds.PRIME64_4;
    long a5 = Rounds.PRIME32_2;
    long a6 = Rounds.PRIME64_5;
    long a7 = Rounds.PRIME32_1;
    int lastStripe = from + count - 8;
    int stripe = 0;
    int p = from;
    while (true) {
      // The last 64 bytes are a stripe of their own, with their own keys, and overlap the others.
      boolean last = p >= lastStripe;
      int at = last ? lastStripe : p;
      int key = last ? Keys.LAST_STRIPE : stripe;
      long w0 = word(a, at);
      long w1 = word(a, at + 1);
      long w2 = word(a, at + 2);
      long w3 = word(a, at + 3);
      long w4 = word(a, at + 4);
      long w5 = word(a, at + 5);
      long w6 = word(a, at + 6);
      long w7 = word(a, at + 7);
      a0 += w1 + Rounds.halves(w0 ^ k[key]);
      a1 += w0 + Rounds.halves(w1 ^ k[key + 1]);
      a2 += w3 + Rounds.halves(w2 ^ k[key + 2]);
      a3 += w2 + Rounds.halves(w3 ^ k[key + 3]);
      a4 += w5 + Rounds.halves(w4 ^ k[key + 4]);
      a5 += w4 + Rounds.halves(w5 ^ k[key + 5]);
      a6 += w7 + Rounds.halves(w6 ^ k[key + 6]);
      a7 += w6 + Rounds.halves(w7 ^ k[key + 7]);
      if (last) {
        break;
      }
      p += 8;
      stripe++;
      if (stripe == 16) {
        a0 = Rounds.scramble(a0, k[Keys.SCRAMBLE]);
        a1 = Rounds.scramble(a1, k[Keys.SCRAMBLE + 1]);
        a2 = Rounds.scramble(a2, k[Keys.SCRAMBLE + 2]);
        a3 = Rounds.scramble(a3, k[Keys.SCRAMBLE + 3]);
        a4 = Rounds.scramble(a4, k[Keys.SCRAMBLE + 4]);
        a5 = Rounds.scramble(a5, k[Keys.SCRAMBLE + 5]);
        a6 = Rounds.scramble(a6, k[Keys.SCRAMBLE + 6]);
        a7 = Rounds.scramble(a7, k[Keys.SCRAMBLE + 7]);
        stripe = 0;
      }
    }
    long acc = length * Rounds.PRIME64_1;
    acc += Rounds.fold(a0 ^ k[Keys.MERGE], a1 ^ k[Keys.MERGE + 1]);
    acc += Rounds.fold(a2 ^ k[Keys.MERGE + 2], a3 ^ k[Keys.MERGE + 3]);
    acc += Rounds.fold(a4 ^ k[Keys.MERGE + 4], a5 ^ k[Keys.MERGE + 5]);
    acc += Rounds.fold(a6 ^ k[Keys.MERGE + 6], a7 ^ k[Keys.MERGE + 7]);
    return Rounds.avalanche(acc);
  }

  private static long mix(long[] a, int at, long[] k, int key) {
    return Rounds.fold(word(a, at) ^ k[key], word(a, at + 1) ^ k[key + 1]);
  }

  private static long word(long[] a, int at) {
    return a[at];
  }
}
