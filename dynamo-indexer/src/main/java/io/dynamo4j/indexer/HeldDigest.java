// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/**
 * A digest of the hashes that a rank holds, in buckets: equal for equal sets whatever their order,
 * and almost never for others. Two that differ tell in which buckets.
 *
 * <p>Not against forgery: a source digests what it holds itself.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class HeldDigest {
  /** Buckets; a difference in one block is one of so many of all. */
  public static final int BUCKETS = 64;

  private final long[] buckets;

  private HeldDigest(long[] buckets) {
    this.buckets = buckets;
  }

  /** Returns the digest of nothing. */
  public static HeldDigest create() {
    return new HeldDigest(new long[BUCKETS]);
  }

  /** Returns the digest of these hashes; O(hashes). */
  public static HeldDigest of(long[] hashes) {
    HeldDigest digest = create();
    for (long hash : hashes) {
      digest.add(hash);
    }
    return digest;
  }

  /** Adds a hash, once for each place at which it is held. */
  public void add(long hash) {
    long mixed = mix(hash);
    buckets[(int) (mixed >>> 58)] += mix(mixed) | 1;
  }

  /** Returns which bucket a hash belongs to, from 0. */
  public static int bucketOf(long hash) {
    return (int) (mix(hash) >>> 58);
  }

  /** Returns the buckets; not to be modified. */
  public long[] buckets() {
    return buckets;
  }

  /** Returns one number for all buckets. */
  public long total() {
    long total = 0;
    for (long bucket : buckets) {
      total = total * 31 + bucket;
    }
    return total;
  }

  /** Returns a bit for each bucket that differs; all of them if the numbers of buckets do. */
  public long differing(long[] others) {
    if (others.length != BUCKETS) {
      return -1;
    }
    long mask = 0;
    for (int i = 0; i < BUCKETS; i++) {
      if (buckets[i] != others[i]) {
        mask |= 1L << i;
      }
    }
    return mask;
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}
