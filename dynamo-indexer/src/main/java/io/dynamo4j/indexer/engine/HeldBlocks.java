// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.StorageTier;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The blocks of one rank by the engine's hash: how many copies each tier holds, and under which
 * namespace.
 *
 * <p>Engines hold two copies of a block and report every store and every removal: a block is gone
 * from a tier when its last copy is. A hash under two namespaces is ambiguous, because a child
 * names its parent by hash only.
 */
final class HeldBlocks {
  // Blocks whose places are fetched side by side before they are stored one by one.
  private static final int FETCHED = 64;

  private final Map<StorageTier, LongIntMap> copies = new EnumMap<>(StorageTier.class);

  /** Of blocks with a namespace. */
  private final LongObjectMap<String> namespaces;

  private final LongIntMap ambiguous;
  // What was fetched; means nothing, and is not private lest the fetching be optimized away.
  int fetched;
  private final LongIntMap partial;

  HeldBlocks(long seed) {
    for (StorageTier tier : StorageTier.values()) {
      copies.put(tier, LongIntMap.create(seed));
    }
    namespaces = LongObjectMap.create(seed);
    ambiguous = LongIntMap.create(seed);
    partial = LongIntMap.create(seed);
  }

  private LongIntMap copiesIn(StorageTier tier) {
    return Objects.requireNonNull(copies.get(tier), "tier");
  }

  /** Returns how many hashes are kept. */
  int size() {
    int size = partial.size();
    for (LongIntMap tier : copies.values()) {
      size += tier.size();
    }
    return size;
  }

  boolean holds(long hash) {
    for (LongIntMap tier : copies.values()) {
      if (tier.get(hash) != 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns the namespace of a block, empty for none or unknown. */
  String namespaceOf(long hash) {
    String namespace = namespaces.size() == 0 ? null : namespaces.get(hash);
    return namespace == null ? "" : namespace;
  }

  /** Returns whether a block is held under more than one namespace. */
  boolean isAmbiguous(long hash) {
    return ambiguous.size() > 0 && ambiguous.get(hash) != 0;
  }

  /** Adds a copy of each of the first {@code count} blocks. */
  void store(StorageTier tier, long[] hashes, int count, String namespace) {
    LongIntMap counts = copiesIn(tier);
    for (int i = 0; i < count; i++) {
      if (i % FETCHED == 0) {
        fetched += counts.touch(hashes, i, Math.min(FETCHED, count - i));
      }
      store(tier, hashes[i], namespace);
    }
  }

  private void store(StorageTier tier, long hash, String namespace) {
    String before = namespaceOf(hash);
    if (!before.equals(namespace)) {
      if (holds(hash)) {
        ambiguous.put(hash, 1);
      }
      setNamespace(hash, namespace);
    }
    LongIntMap counts = copiesIn(tier);
    // A count that is full stays: better a block too many than a wrong zero.
    if (counts.add(hash, 1) < 0) {
      counts.put(hash, Integer.MAX_VALUE);
    }
    removePartial(hash);
  }

  private void setNamespace(long hash, String namespace) {
    if (namespace.isEmpty()) {
      namespaces.remove(hash);
    } else {
      namespaces.put(hash, namespace);
    }
  }

  /** Takes one copy away and returns whether none is left; so it is if there was none. */
  boolean remove(StorageTier tier, long hash) {
    LongIntMap counts = copiesIn(tier);
    if (counts.get(hash) != 0 && counts.add(hash, -1) != 0) {
      return false;
    }
    if (namespaces.size() + ambiguous.size() > 0 && !holds(hash)) {
      namespaces.remove(hash);
      ambiguous.put(hash, 0);
    }
    return true;
  }

  /** Remembers a block that was announced and is not passed on, as it is not full. */
  void storePartial(long hash) {
    partial.put(hash, 1);
  }

  /** Forgets such a block and returns whether it was one. */
  boolean removePartial(long hash) {
    return partial.size() > 0 && partial.put(hash, 0) != 0;
  }
}
