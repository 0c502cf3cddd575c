// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import java.util.List;
import java.util.TreeSet;

/** Follows a cache by its events alone and refuses any that no cache could have sent. */
final class CacheMirror {
  private final TreeSet<Long> blocks = new TreeSet<>();
  private long nextEventId;

  void applyAll(List<KvCacheEvent> events) {
    events.forEach(this::apply);
  }

  long[] sortedBlocks() {
    return blocks.stream().mapToLong(Long::longValue).toArray();
  }

  private void apply(KvCacheEvent event) {
    check(event.eventId() == nextEventId, "event id is not the next", event);
    nextEventId++;
    if (event.data() instanceof KvCacheEventData.Stored stored) {
      store(event, stored);
    } else if (event.data() instanceof KvCacheEventData.Removed removed) {
      for (long hash : removed.blockHashes()) {
        check(blocks.remove(hash), "block removed that is not there", event);
      }
    } else {
      blocks.clear();
    }
  }

  private void store(KvCacheEvent event, KvCacheEventData.Stored stored) {
    check(!stored.hasParent() || blocks.contains(stored.parentHash()), "unknown parent", event);
    long parent = stored.parentHash();
    for (int i = 0; i < stored.blockCount(); i++) {
      long local = stored.tokensHashes()[i];
      long expected = i == 0 && !stored.hasParent() ? local : SequenceHasher.next(parent, local);
      check(stored.blockHashes()[i] == expected, "hash does not follow from its parent", event);
      check(blocks.add(expected), "block stored that is there", event);
      parent = expected;
    }
  }

  private static void check(boolean condition, String what, KvCacheEvent event) {
    if (!condition) {
      throw new IllegalStateException(what + ": eventId=" + event.eventId());
    }
  }
}
