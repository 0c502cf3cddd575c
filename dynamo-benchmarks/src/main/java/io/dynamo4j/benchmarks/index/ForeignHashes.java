// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.List;

/**
 * The same events from engines that name blocks each in its own way: equal content has another
 * external hash on every worker.
 */
final class ForeignHashes {

  private ForeignHashes() {}

  static List<RouterEvent> of(List<RouterEvent> events) {
    return events.stream().map(ForeignHashes::of).toList();
  }

  private static RouterEvent of(RouterEvent event) {
    WorkerWithDpRank worker = event.worker();
    long salt = LogChecksum.mix64(worker.workerId() + 1);
    KvCacheEvent inner = event.event();
    KvCacheEventData data = inner.data();
    KvCacheEventData salted = data;
    if (data instanceof KvCacheEventData.Stored stored) {
      long[] hashes = of(stored.blockHashes(), salt);
      salted =
          stored.hasParent()
              ? KvCacheEventData.Stored.under(
                  LogChecksum.mix64(stored.parentHash() ^ salt), hashes, stored.tokensHashes())
              : KvCacheEventData.Stored.atRoot(hashes, stored.tokensHashes());
    } else if (data instanceof KvCacheEventData.Removed removed) {
      salted = KvCacheEventData.Removed.of(of(removed.blockHashes(), salt));
    }
    return RouterEvent.of(
        worker.workerId(), event.tier(), KvCacheEvent.of(inner.eventId(), inner.dpRank(), salted));
  }

  private static long[] of(long[] hashes, long salt) {
    long[] salted = new long[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      salted[i] = LogChecksum.mix64(hashes[i] ^ salt);
    }
    return salted;
  }
}
