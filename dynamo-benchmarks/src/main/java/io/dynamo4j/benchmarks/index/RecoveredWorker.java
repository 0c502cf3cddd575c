// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.source.LocalKvIndexer;
import io.dynamo4j.wire.RecoveryQuery;

/** A worker with a large cache, and what it answers to who knows nothing of it. */
final class RecoveredWorker {
  private static final int CHAIN_BLOCKS = 500;

  private RecoveredWorker() {}

  /** Returns the whole state of a worker that holds so many blocks, in chains of 500. */
  static byte[] answer(long workerId, int blocks) {
    LocalKvIndexer local = LocalKvIndexer.builder(WorkerWithDpRank.of(workerId)).build();
    for (int from = 0; from < blocks; from += CHAIN_BLOCKS) {
      long[] contents = new long[Math.min(CHAIN_BLOCKS, blocks - from)];
      for (int i = 0; i < contents.length; i++) {
        contents[i] = LogChecksum.mix64(workerId << 48 | (from + i));
      }
      long[] hashes = new long[contents.length];
      SequenceHasher.hash(contents, contents.length, hashes);
      local.record(StorageTier.DEVICE, KvCacheEventData.Stored.atRoot(hashes, contents));
    }
    return everything(local);
  }

  static byte[] everything(LocalKvIndexer local) {
    return local.answer(RecoveryQuery.ofEverything(local.worker()).encode());
  }
}
