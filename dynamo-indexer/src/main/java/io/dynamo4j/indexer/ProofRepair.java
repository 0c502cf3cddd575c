// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.ProofAnswer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.LongStream;

/** The events that turn what an index holds of a rank into what the rank holds. */
final class ProofRepair {

  /** A block as its source describes it. */
  private record Block(long hash, long before, long parent, long local) {}

  private final LongObjectMap<Block> missing = LongObjectMap.create(0);
  private long[] extra = {};
  private boolean isWhole = true;

  private ProofRepair() {}

  /** Compares, within the buckets that the answer is about. */
  static ProofRepair of(ProofAnswer answer, long[] held) {
    ProofRepair repair = new ProofRepair();
    LongObjectMap<Block> atSource = LongObjectMap.create(0);
    long[] numbers = answer.blocks();
    for (int i = 0; i < numbers.length; i += ProofAnswer.NUMBERS_A_BLOCK) {
      Block block = new Block(numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]);
      atSource.put(block.hash(), block);
    }
    LongObjectMap<Boolean> here = LongObjectMap.create(0);
    LongStream.Builder extra = LongStream.builder();
    for (long hash : held) {
      here.put(hash, true);
      boolean isAsked = (answer.differing() >>> HeldDigest.bucketOf(hash) & 1) != 0;
      if (isAsked && atSource.get(hash) == null) {
        extra.add(hash);
      }
    }
    repair.extra = extra.build().toArray();
    atSource.forEach(
        (hash, block) -> {
          if (here.get(hash) == null) {
            repair.missing.put(hash, block);
            repair.isWhole &= block.before() <= 1;
          }
        });
    return repair;
  }

  /** Returns whether every block that is missing can be placed. */
  boolean isWhole() {
    return isWhole;
  }

  /** Returns how many blocks are put right. */
  int blocks() {
    return missing.size() + extra.length;
  }

  /** Returns removals first, then stores, each parent before its children. */
  List<RouterEvent> events(WorkerWithDpRank rank, long id) {
    List<RouterEvent> events = new ArrayList<>();
    if (extra.length > 0) {
      events.add(event(rank, id, KvCacheEventData.Removed.of(extra)));
    }
    LongObjectMap<Boolean> stored = LongObjectMap.create(0);
    missing.forEach(
        (hash, block) -> {
          Deque<Block> chain = new ArrayDeque<>();
          Block each = block;
          while (each != null && stored.put(each.hash(), true) == null) {
            chain.push(each);
            each = each.before() == 0 ? null : missing.get(each.parent());
          }
          chain.forEach(link -> events.add(event(rank, id, store(link))));
        });
    return events;
  }

  private static KvCacheEventData store(Block block) {
    long[] hashes = {block.hash()};
    long[] locals = {block.local()};
    return block.before() == 0
        ? KvCacheEventData.Stored.atRoot(hashes, locals)
        : KvCacheEventData.Stored.under(block.parent(), hashes, locals);
  }

  private static RouterEvent event(WorkerWithDpRank rank, long id, KvCacheEventData data) {
    return RouterEvent.of(
        rank.workerId(), StorageTier.DEVICE, KvCacheEvent.of(id, rank.dpRank(), data));
  }
}
