// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.model.RoutingHints;

/** Block identities: local hash of a block's tokens, rolling hash over them. */
final class BlockHashes {
  private BlockHashes() {}

  /** Returns the seed of a request's local hashes, which keeps adapters and tenants apart. */
  static long seed(RoutingHints routing) {
    return 1337 + routing.loraName().hashCode() + 31L * routing.cacheNamespace().hashCode();
  }

  static long local(int[] tokens, int offset, int count, long seed) {
    long h = seed;
    for (int i = offset; i < offset + count; i++) {
      h = (h ^ tokens[i]) * 0xbf58476d1ce4e5b9L;
      h ^= h >>> 29;
    }
    return h;
  }

  static long next(long parentHash, long localHash) {
    long h = (parentHash * 0x94d049bb133111ebL) ^ (localHash >>> 17) ^ localHash;
    return (h ^ (h >>> 31)) * 0xbf58476d1ce4e5b9L;
  }
}
