// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.wire.EngineEvent;
import io.dynamo4j.wire.EngineEvent.SaltSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns stores that concern a rank into blocks with local hashes. */
final class StoreNormalizer {
  private final int blockSize;
  private final int maxBlocks;
  private final EngineEventCounters counters;
  private final PendingEvents pending;
  private final BlockHashers hashers;
  private final BlockContents contents;
  private final LongObjectMap<String> adapters;
  private final HashRepeats repeats;

  StoreNormalizer(
      EngineEventNormalizerBuilder settings, EngineEventCounters counters, PendingEvents pending) {
    this.blockSize = settings.blockSize;
    this.maxBlocks = settings.maxBlocks;
    this.counters = counters;
    this.pending = pending;
    this.hashers = new BlockHashers(blockSize);
    this.contents = settings.contents;
    this.adapters = settings.adapters;
    this.repeats = new HashRepeats(settings.seed);
  }

  /** Passes the full blocks of an event on, or returns why none of them can be. */
  @Nullable EngineEventReject store(EngineEvent event, HeldBlocks held, int dpRank) {
    EngineEventReject reject = judgeShape(event);
    if (reject == null) {
      reject = judgeIdentity(event);
    }
    // Simulators of vLLM write 0 where they mean no parent.
    boolean hasParent = event.hasParent() && (event.parentHash() != 0 || held.holds(0));
    if (reject == null && event.salt() == null && hasParent) {
      reject = judgeParent(event.parentHash(), held);
    }
    if (reject == null && held.size() + (long) event.hashCount() > maxBlocks) {
      reject = EngineEventReject.TOO_MANY_BLOCKS;
    }
    return reject != null ? reject : pass(event, hasParent, held, dpRank);
  }

  /* --------------- Judgement --------------- */

  private @Nullable EngineEventReject judgeShape(EngineEvent event) {
    if (event.listsTokensOfEachBlock()) {
      if (largestBlock(event) > blockSize) {
        return EngineEventReject.OVERSIZED_BLOCK;
      }
    } else if (event.blockSize() == 0 && event.tokenCount() == 0) {
      return EngineEventReject.PLACEHOLDER;
    } else if (event.blockSize() != blockSize) {
      return EngineEventReject.BLOCK_SIZE_MISMATCH;
    }
    return namesBlockTwice(event) ? EngineEventReject.SELF_REFERENCE : null;
  }

  private static int largestBlock(EngineEvent event) {
    int largest = 0;
    int start = 0;
    for (int i = 0; i < event.hashCount(); i++) {
      largest = Math.max(largest, event.tokensEnd(i) - start);
      start = event.tokensEnd(i);
    }
    return largest;
  }

  private boolean namesBlockTwice(EngineEvent event) {
    int count = event.hashCount();
    if (event.hasParent()) {
      for (int i = 0; i < count; i++) {
        if (event.hashes()[i] == event.parentHash()) {
          return true;
        }
      }
    }
    return repeats.isIn(event.hashes(), count);
  }

  private @Nullable EngineEventReject judgeIdentity(EngineEvent event) {
    if (event.hasLoraId() && loraNameOf(event).isEmpty()) {
      return EngineEventReject.ADAPTER_WITHOUT_NAME;
    }
    return event.hasUnsupportedKey() ? EngineEventReject.UNSUPPORTED_EXTRA_KEY : null;
  }

  private static @Nullable EngineEventReject judgeParent(long parentHash, HeldBlocks held) {
    return held.isAmbiguous(parentHash) ? EngineEventReject.AMBIGUOUS_CACHE_NAMESPACE : null;
  }

  /* --------------- Blocks --------------- */

  private @Nullable EngineEventReject pass(
      EngineEvent event, boolean hasParent, HeldBlocks held, int dpRank) {
    String namespace = namespaceOf(event, hasParent, held);
    BlockHasher hasher = hashers.get(loraNameOf(event), namespace, event.isEagle());
    int blocks = fullBlocks(event, hasher);
    leaveOut(event, blocks, held);
    if (blocks == 0) {
      return EngineEventReject.NO_FULL_BLOCK;
    }
    StorageTier tier = Objects.requireNonNull(EngineMedia.tierOf(event.medium()), "tier");
    long[] hashes = event.hashes();
    pending.startStore(dpRank, tier, hasParent, event.parentHash(), hashes, blocks);
    for (int i = 0; i < blocks; i++) {
      pending.addStored(hashes[i], contents.localHash(hasher, event, i));
    }
    held.store(tier, hashes, blocks, namespace);
    counters.add(EngineEventCounter.STORED_BLOCKS, blocks);
    boolean isDeclared =
        event.saltSource() == SaltSource.NONE || event.saltSource() == SaltSource.DECLARED;
    counters.add(EngineEventCounter.UNDECLARED_SALTS, isDeclared ? 0 : 1);
    return null;
  }

  private int fullBlocks(EngineEvent event, BlockHasher hasher) {
    if (!event.listsTokensOfEachBlock()) {
      return Math.min(event.hashCount(), hasher.blockCount(event.tokenCount()));
    }
    int full = 0;
    while (full < event.hashCount() && event.tokensEnd(full) == (full + 1) * blockSize) {
      full++;
    }
    return full;
  }

  private void leaveOut(EngineEvent event, int from, HeldBlocks held) {
    counters.add(EngineEventCounter.PARTIAL_BLOCKS, event.hashCount() - from);
    if (event.listsTokensOfEachBlock()) {
      for (int i = from; i < event.hashCount(); i++) {
        held.storePartial(event.hashes()[i]);
      }
    }
  }

  private static String namespaceOf(EngineEvent event, boolean hasParent, HeldBlocks held) {
    String salt = event.salt();
    if (salt != null) {
      return salt;
    }
    return hasParent ? held.namespaceOf(event.parentHash()) : "";
  }

  private String loraNameOf(EngineEvent event) {
    String name = event.loraName();
    if ((name == null || name.isEmpty()) && event.hasLoraId()) {
      name = adapters.get(event.loraId());
    }
    return name == null ? "" : name;
  }
}
