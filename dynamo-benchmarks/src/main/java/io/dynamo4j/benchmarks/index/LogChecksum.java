// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

/** The checksum and the mixer that the rules of the neutral log name. */
final class LogChecksum {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final int QUERY = 1;
  private static final int REMOVED = 2;
  private static final int STORED = 3;

  private long value;

  long value() {
    return value;
  }

  void query(long[] locals) {
    feed(QUERY);
    feed(locals.length);
    for (long local : locals) {
      feed(local);
    }
  }

  void removed(int worker, long[] hashes) {
    feed(REMOVED);
    feed(worker);
    feed(hashes.length);
    for (long hash : hashes) {
      feed(hash);
    }
  }

  /** Covers a store of {@code locals[from..]}; the parent of a chain's first block is 0. */
  void stored(int worker, long parent, long[] locals, long[] externals, int from) {
    feed(STORED);
    feed(worker);
    feed(parent);
    feed(locals.length - from);
    for (int i = from; i < locals.length; i++) {
      feed(locals[i]);
      feed(externals[i]);
    }
  }

  private void feed(long next) {
    value = (Long.rotateLeft(value, 5) ^ next) * GOLDEN;
  }

  static long mix64(long x) {
    long z = x + GOLDEN;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
