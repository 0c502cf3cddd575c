// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.RouterEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cuts long stores into a chain of shorter ones, which add up to the same. */
final class StorePieces {

  private StorePieces() {}

  static List<Stored> of(Stored stored, int mostBlocks) {
    if (stored.blockCount() <= mostBlocks) {
      return List.of(stored);
    }
    List<Stored> pieces = new ArrayList<>();
    for (int from = 0; from < stored.blockCount(); from += mostBlocks) {
      int to = Math.min(stored.blockCount(), from + mostBlocks);
      long[] hashes = Arrays.copyOfRange(stored.blockHashes(), from, to);
      long[] contents = Arrays.copyOfRange(stored.tokensHashes(), from, to);
      if (from > 0) {
        pieces.add(Stored.under(stored.blockHashes()[from - 1], hashes, contents));
      } else if (stored.hasParent()) {
        pieces.add(Stored.under(stored.parentHash(), hashes, contents));
      } else {
        pieces.add(Stored.atRoot(hashes, contents));
      }
    }
    return pieces;
  }

  static RouterEvent event(RouterEvent whole, Stored piece) {
    return RouterEvent.of(
        whole.workerId(),
        whole.tier(),
        KvCacheEvent.of(whole.event().eventId(), whole.worker().dpRank(), piece));
  }
}
