// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * XXH3-64 over bytes, read in place.
 *
 * <p>One kernel for each type of array, alike line by line: the compiler then sees one array type
 * in every loop, which a shared reader interface would hide from it. All arithmetic is in {@link
 * Rounds}. Positions and steps count bytes.
 */
final class ByteKernel {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private ByteKernel() {}

  static long hash(byte[] a, int from, int count, Keys keys) {
    if (count > 16) {
      return ofMoreThan16Bytes(a, from, count, keys);
    }
    if (count > 8) {
      return Rounds.of9To16Bytes(word(a, from), word(a, from + count - 8), count, keys);
    }
    if (count > 3) {
      int first = (int) INT.get(a, from);
      int last = (int) INT.get(a, from + count - 4);
      return Rounds.of4To8Bytes(first, last, count, keys);
    }
    return count > 0 ? of1To3Bytes(a, from, count, keys) : Rounds.empty(keys);
  }

  private static long of1To3Bytes(byte[] a, int from, int count, Keys keys) {
    int first = a[from] & 0xFF;
    int middle = a[from + (count >> 1)] & 0xFF;
    int last = a[from + count - 1] & 0xFF;
    return Rounds.of1To3Bytes(first, middle, last, count, keys);
  }

  private static long ofMoreThan16Bytes(byte[] a, int from, int count, Keys keys) {
    if (count <= 128) {
      return of17To128Bytes(a, from, count, count, keys);
    }
    if (count <= 240) {
      return of129To240Bytes(a, from, count, count, keys);
    }
    return of241BytesAndMore(a, from, count, count, keys);
  }

  /** Pairs of 16 bytes, one from each end, inwards until they meet. */
  private static long of17To128Bytes(byte[] a, int from, int count, long length, Keys keys) {
    long[] k = keys.words;
    long acc = length * Rounds.PRIME64_1;
    int last = from + count - 16;
    if (count > 32) {
      if (count > 64) {
        if (count > 96) {
          acc += mix(a, from + 48, k, 12) + mix(a, last - 48, k, 14);
        }
        acc += mix(a, from + 32, k, 8) + mix(a, last - 32, k, 10);
      }
      acc += mix(a, from + 16, k, 4) + mix(a, last - 16, k, 6);
    }
    acc += mix(a, from, k, 0) + mix(a, last, k, 2);
    return Rounds.avalanche(acc);
  }

  private static long of129To240Bytes(byte[] a, int from, int count, long length, Keys keys) {
    long[] k = keys.words;
    long acc = length * Rounds.PRIME64_1;
    for (int i = 0; i < 8; i++) {
      acc += mix(a, from + 16 * i, k, 2 * i);
    }
    acc = Rounds.avalanche(acc);
    int rounds = (int) length >>> 4;
    for (int i = 8; i < rounds; i++) {
      acc += mix(a, from + 16 * i, k, Keys.MID + 2 * (i - 8));
    }
    acc += mix(a, from + count - 16, k, Keys.MID_LAST);
    return Rounds.avalanche(acc);
  }

  private static long of241BytesAndMore(byte[] a, int from, int count, long length, Keys keys) {
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
  private static long fourLanes(byte[] a, int from, int count, long[] k, int lane) {
    long x0 = Rounds.lane(lane);
    long x1 = Rounds.lane(lane + 1);
    long x2 = Rounds.lane(lane + 2);
    long x3 = Rounds.lane(lane + 3);
    int stripes = (count - 1) / 64;
    int p = from + 8 * lane;
    for (int done = 0; done < stripes; done += 16) {
      int n = Math.min(16, stripes - done);
      for (int key = lane; key < lane + n; key++) {
        long w0 = word(a, p);
        long w1 = word(a, p + 8);
        long w2 = word(a, p + 16);
        long w3 = word(a, p + 24);
        x0 += w1 + Rounds.halves(w0 ^ k[key]);
        x1 += w0 + Rounds.halves(w1 ^ k[key + 1]);
        x2 += w3 + Rounds.halves(w2 ^ k[key + 2]);
        x3 += w2 + Rounds.halves(w3 ^ k[key + 3]);
        p += 64;
      }
      if (n == 16) {
        x0 = Rounds.scramble(x0, k[Keys.SCRAMBLE + lane]);
        x1 = Rounds.scramble(x1, k[Keys.SCRAMBLE + lane + 1]);
        x2 = Rounds.scramble(x2, k[Keys.SCRAMBLE + lane + 2]);
        x3 = Rounds.scramble(x3, k[Keys.SCRAMBLE + lane + 3]);
      }
    }
    // The last 64 bytes are a stripe of their own that overlaps the one before.
    p = from + count - 64 + 8 * lane;
    int key = Keys.LAST_STRIPE + lane;
    long w0 = word(a, p);
    long w1 = word(a, p + 8);
    long w2 = word(a, p + 16);
    long w3 = word(a, p + 24);
    x0 += w1 + Rounds.halves(w0 ^ k[key]);
    x1 += w0 + Rounds.halves(w1 ^ k[key + 1]);
    x2 += w3 + Rounds.halves(w2 ^ k[key + 2]);
    x3 += w2 + Rounds.halves(w3 ^ k[key + 3]);
    int merge = Keys.MERGE + lane;
    return Rounds.fold(x0 ^ k[merge], x1 ^ k[merge + 1])
        + Rounds.fold(x2 ^ k[merge + 2], x3 ^ k[merge + 3]);
  }

  private static long mix(byte[] a, int at, long[] k, int key) {
    return Rounds.fold(word(a, at) ^ k[key], word(a, at + 8) ^ k[key + 1]);
  }

  private static long word(byte[] a, int at) {
    return (long) LONG.get(a, at);
  }
}
