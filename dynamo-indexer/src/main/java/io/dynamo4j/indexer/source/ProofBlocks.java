// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.source;

import io.dynamo4j.core.model.KvCacheEventData.Removed;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.indexer.HeldDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Lists the blocks of some buckets out of the events of a whole dump. */
final class ProofBlocks {
  private static final int DETACHED = 2;

  private final long buckets;
  private long[] numbers = new long[64];
  private int count;
  private @Nullable Stored last;

  ProofBlocks(long buckets) {
    this.buckets = buckets;
  }

  void accept(RouterEvent event) {
    // A removal takes back what the store before it only needed to say a path.
    long[] standIns =
        event.event().data() instanceof Removed removed ? removed.blockHashes() : null;
    flush(standIns);
    last = event.event().data() instanceof Stored stored ? stored : null;
  }

  long[] numbers() {
    flush(null);
    last = null;
    return Arrays.copyOf(numbers, count);
  }

  private void flush(long @Nullable [] standIns) {
    Stored stored = last;
    if (stored == null) {
      return;
    }
    int before = stored.hasParent() ? 1 : 0;
    long parent = stored.parentHash();
    for (int i = 0; i < stored.blockCount(); i++) {
      long hash = stored.blockHashes()[i];
      boolean isStandIn = standIns != null && contains(standIns, hash);
      if (!isStandIn) {
        add(hash, before, parent, stored.tokensHashes()[i]);
      }
      before = isStandIn ? DETACHED : 1;
      parent = hash;
    }
  }

  private void add(long hash, int before, long parent, long local) {
    if ((buckets >>> HeldDigest.bucketOf(hash) & 1) == 0) {
      return;
    }
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, count * 2);
    }
    numbers[count++] = hash;
    numbers[count++] = before;
    numbers[count++] = parent;
    numbers[count++] = local;
  }

  private static boolean contains(long[] hashes, long hash) {
    return Arrays.stream(hashes).anyMatch(each -> each == hash);
  }
}
