// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

/** 64-bit mixing for ties and trace hashes (finalizer constants of Stafford's variant 13). */
final class Mixing {
  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private Mixing() {}

  static long mix(long z) {
    long x = z + GOLDEN_GAMMA;
    x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }

  static long mix(long a, long b) {
    return mix(mix(a) ^ b);
  }
}
