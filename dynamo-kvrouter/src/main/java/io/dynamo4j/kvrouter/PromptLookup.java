// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import org.jspecify.annotations.Nullable;

/**
 * Hashes prompts and asks the index; neither happens where the answer could not matter.
 *
 * <p><b>Threads.</b> Any.
 */
final class PromptLookup {
  private static final long[] NO_HASHES = {};

  private final KvRouterConfig config;
  private final @Nullable KvIndexer indexer;
  private final PromptHasher hasher;

  PromptLookup(KvRouterConfig config, @Nullable KvIndexer indexer, int blockSize) {
    this.config = config;
    this.indexer = config.needsOverlap() ? indexer : null;
    this.hasher = new PromptHasher(blockSize);
  }

  Prompt lookUp(SchedulingRequest request) {
    KvRouterConfig effective = request.configOverride().applyTo(config);
    boolean asks = indexer != null && effective.needsOverlap();
    boolean sharesBlocks = effective.routerTrackActiveBlocks() && effective.routerAssumeKvReuse();
    if (!asks && !sharesBlocks) {
      return new Prompt(NO_HASHES, null, effective);
    }
    TokenSlice tokens = request.tokenIds();
    BlockHasher blockHasher = hasher.of(request.routing());
    long[] hashes = new long[blockHasher.blockCount(tokens.length())];
    blockHasher.hash(tokens, hashes);
    OverlapScores scores = asks ? scores(hashes) : null;
    SequenceHasher.hash(hashes, hashes.length, hashes);
    return new Prompt(hashes, scores, effective);
  }

  private @Nullable OverlapScores scores(long[] localHashes) {
    if (indexer == null || localHashes.length == 0) {
      return null;
    }
    OverlapScores scores = OverlapScores.create();
    indexer.findMatches(localHashes, localHashes.length, scores);
    return scores;
  }
}
