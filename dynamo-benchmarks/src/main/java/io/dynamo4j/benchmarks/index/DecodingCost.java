// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.AllocatedBytes;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.wire.RouterEventCodec;
import java.util.List;

/** What decoding a message of the event plane leaves on the heap. */
final class DecodingCost {
  private static final int FEW = 16;
  private static final int MANY = 256;

  private DecodingCost() {}

  /** A message with many blocks against one with few: what is not a block's is the message's. */
  static IndexerFigures.Decoding measure() {
    double few = bytes(FEW);
    double perBlock = (bytes(MANY) - few) / (MANY - FEW);
    return new IndexerFigures.Decoding(perBlock, few - perBlock * FEW);
  }

  private static double bytes(int blocks) {
    long[] hashes = new long[blocks];
    for (int i = 0; i < blocks; i++) {
      hashes[i] = LogChecksum.mix64(i);
    }
    KvCacheEventData stored = KvCacheEventData.Stored.atRoot(hashes, hashes);
    byte[] payload =
        RouterEventCodec.encode(
            List.of(RouterEvent.of(1, StorageTier.DEVICE, KvCacheEvent.of(1, 0, stored))));
    return AllocatedBytes.perRun(() -> RouterEventCodec.decode(payload));
  }
}
