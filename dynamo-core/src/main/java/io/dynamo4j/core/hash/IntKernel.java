// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

/**
 * XXH3-64 over little-endian {@code int}s, read in place.
 *
 * <p>One kernel for each type of array, alike line by line: the compiler then sees one array type
 * in every loop, which a shared reader interface would hide from it. All arithmetic is in {@link
 * Rounds}. Positions and steps count ints.
 */
final class IntKernel {

  private IntKernel() {}

  /** Hashes windows of one length that begin at equal distances, one choice of length for all. */
  static void hashAll(int[] a, int from, int stride, int window, int count, Keys keys, long[] out) {
    if (window == 16 && stride == 16) {
      allOf64Bytes(a, from, count, keys, out);
      return;
    }
    for (int i = 0; i < count; i++) {
      out[i] = hash(a, from + i * stride, window, keys);
    }
  }

  /** Counts positions, not blocks: the compiler then checks all bounds once, before the loop. */
  private static void allOf64Bytes(int[] a, int from, int count, Keys keys, long[] out) {
    int end = from + 16 * count;
    for (int at = from; at < end; at += 16) {
      out[(at - from) >> 4] = of64Bytes(a, at, keys);
    }
  }

  static long hash(int[] a, int from, int count, Keys keys) {
    if (count == 16) {
      return of64Bytes(a, from, keys);
    }
    if (count > 4) {
      return ofMoreThan16Bytes(a, from, count, keys);
    }
    if (count > 2) {
      return Rounds.of9To16Bytes(word(a, from), word(a, from + count - 2), 4L * count, keys);
    }
    if (count > 0) {
      return Rounds.of4To8Bytes(a[from], a[from + count - 1], 4L * count, keys);
    }
    return Rounds.empty(keys);
  }

  private static long ofMoreThan16Bytes(int[] a, int from, int count, Keys keys) {
    long length = 4L * count;
    if (length <= 128) {
      return of17To128Bytes(a, from, count, length, keys);
    }
    if (length <= 240) {
      return of129To240Bytes(a, from, count, length, keys);
    }
    return of241BytesAndMore(a, from, count, length, keys);
  }

  /** Pairs of 16 bytes, one from each end, inwards until they meet. */
  private static long of17To128Bytes(int[] a, int from, int count, long length, Keys keys) {
    long[] k = keys.words;
    long acc = length * Rounds.PRIME64_1;
    int last = from + count - 4;
    if (count > 8) {
      if (count > 16) {
        if (count > 24) {
          acc += mix(a, from + 12, k, 12) + mix(a, last - 12, k, 14);
        }
        acc += mix(a, from + 8, k, 8) + mix(a, last - 8, k, 10);
      }
      acc += mix(a, from + 4, k, 4) + mix(a, last - 4, k, 6);
    }
    acc += mix(a, from, k, 0) + mix(a, last, k, 2);
    return Rounds.avalanche(acc);
  }

  /**
   * The usual block, 16 tokens: what {@link #of17To128Bytes} does, without its choices and with
   * keys that need no bounds check, in two sums that do not wait for each other.
   */
  private static long of64Bytes(int[] a, int from, Keys k) {
    long outer =
        (Rounds.PRIME64_1 << 6)
            + Rounds.fold(word(a, from) ^ k.word0, word(a, from + 2) ^ k.word1)
            + Rounds.fold(word(a, from + 4) ^ k.word4, word(a, from + 6) ^ k.word5);
    long inner =
        Rounds.fold(word(a, from + 12) ^ k.word2, word(a, from + 14) ^ k.word3)
            + Rounds.fold(word(a, from + 8) ^ k.word6, word(a, from + 10) ^ k.word7);
    return Rounds.avalanche(outer + inner);
  }

  private static long of129To240Bytes(int[] a, int from, int count, long length, Keys keys) {
    long[] k = keys.words;
    long acc = length * Rounds.PRIME64_1;
    for (int i = 0; i < 8; i++) {
      acc += mix(a, from + 4 * i, k, 2 * i);
    }
    acc = Rounds.avalanche(acc);
    int rounds = (int) length >>> 4;
    for (int i = 8; i < rounds; i++) {
      acc += mix(a, from + 4 * i, k, Keys.MID + 2 * (i - 8));
    }
    acc += mix(a, from + count - 4, k, Keys.MID_LAST);
    return Rounds.avalanche(acc);
  }

  private static long of241BytesAndMore(int[] a, int from, int count, long length, Keys keys) {
    long[] k = keys.words;
    long acc = length * Rounds.PRIME64_1;
    acc += fourLanes(a, from, count, k, 0);
    acc += fourLanes(a, from, count, k, 4);
    return Rounds.avalanche(acc);
  }

  /**
   * Four of the eight lanes over all stripes of 64 bytes, merged; a lane depends on its neighbour's
   * input and on no other lane. Four lanes fit into registers; eight at once take a third longer.
   */
  private static long fourLanes(int[] a, int from, int count, long[] k, int lane) {
    long x0 = Rounds.lane(lane);
    long x1 = Rounds.lane(lane + 1);
    long x2 = Rounds.lane(lane + 2);
    long x3 = Rounds.lane(lane + 3);
    int stripes = (count - 1) / 16;
    int p = from + 2 * lane;
    for (int done = 0; done < stripes; done += 16) {
      int n = Math.min(16, stripes - done);
      for (int key = lane; key < lane + n; key++) {
        long w0 = word(a, p);
        long w1 = word(a, p + 2);
        long w2 = word(a, p + 4);
        long w3 = word(a, p + 6);
        x0 += w1 + Rounds.halves(w0 ^ k[key]);
        x1 += w0 + Rounds.halves(w1 ^ k[key + 1]);
        x2 += w3 + Rounds.halves(w2 ^ k[key + 2]);
        x3 += w2 + Rounds.halves(w3 ^ k[key + 3]);
        p += 16;
      }
      if (n == 16) {
        x0 = Rounds.scramble(x0, k[Keys.SCRAMBLE + lane]);
        x1 = Rounds.scramble(x1, k[Keys.SCRAMBLE + lane + 1]);
        x2 = Rounds.scramble(x2, k[Keys.SCRAMBLE + lane + 2]);
        x3 = Rounds.scramble(x3, k[Keys.SCRAMBLE + lane + 3]);
      }
    }
    // The last 64 bytes are a stripe of their own that overlaps the one before.
    p = from + count - 16 + 2 * lane;
    int key = Keys.LAST_STRIPE + lane;
    long w0 = word(a, p);
    long w1 = word(a, p + 2);
    long w2 = word(a, p + 4);
    long w3 = word(a, p + 6);
    x0 += w1 + Rounds.halves(w0 ^ k[key]);
    x1 += w0 + Rounds.halves(w1 ^ k[key + 1]);
    x2 += w3 + Rounds.halves(w2 ^ k[key + 2]);
    x3 += w2 + Rounds.halves(w3 ^ k[key + 3]);
    int merge = Keys.MERGE + lane;
    return Rounds.fold(x0 ^ k[merge], x1 ^ k[merge + 1])
        + Rounds.fold(x2 ^ k[merge + 2], x3 ^ k[merge + 3]);
  }

  private static long mix(int[] a, int at, long[] k, int key) {
    return Rounds.fold(word(a, at) ^ k[key], word(a, at + 2) ^ k[key + 1]);
  }

  private static long word(int[] a, int at) {
    return (a[at] & 0xFFFFFFFFL) | ((long) a[at + 1] << 32);
  }
}
