// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.DecisionLease;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RoutingDecision;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.dynamo4j.plane.WorkerInstance;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
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
  private final @Nullable RemoteIndex remote;

  /** Answers here: the indexer, or who stands in for a remote one. */
  private final @Nullable KvIndexer local;

  private final AtomicLong fallbacks = new AtomicLong();
  private final boolean learns;
  private final PromptHasher hasher;

  PromptLookup(
      KvRouterConfig config,
      @Nullable KvIndexer indexer,
      @Nullable RemoteIndex remote,
      @Nullable KvIndexer fallback,
      int blockSize) {
    this.config = config;
    this.remote = config.needsOverlap() ? remote : null;
    this.indexer = config.needsOverlap() ? indexer : null;
    this.local = this.remote == null ? this.indexer : fallback;
    this.learns = local != null && local.learnsFromDecisions();
    this.hasher = new PromptHasher(blockSize);
  }

  Prompt lookUp(SchedulingRequest request) {
    KvRouterConfig effective = request.configOverride().applyTo(config);
    boolean asks = local != null && effective.needsOverlap();
    boolean sharesBlocks = effective.routerTrackActiveBlocks() && effective.routerAssumeKvReuse();
    if (!asks && !sharesBlocks) {
      return new Prompt(NO_HASHES, null, NO_HASHES, effective);
    }
    TokenSlice tokens = request.tokenIds();
    BlockHasher blockHasher = hasher.of(request.routing());
    long[] hashes = new long[blockHasher.blockCount(tokens.length())];
    blockHasher.hash(tokens, hashes);
    @Nullable TieredOverlap overlap = asks ? overlap(hashes) : null;
    long[] localHashes = asks && learns && request.updateIndexer() ? hashes.clone() : NO_HASHES;
    SequenceHasher.hash(hashes, hashes.length, hashes);
    return new Prompt(hashes, overlap, localHashes, effective);
  }

  /** Returns the index that is asked here, null if none is. */
  @Nullable KvIndexer indexer() {
    return indexer;
  }

  /** Returns whether an index elsewhere is asked. */
  boolean isRemote() {
    return remote != null;
  }

  /** Returns how many lookups elsewhere failed and were answered here instead. */
  long fallbacks() {
    return fallbacks.get();
  }

  /**
   * Asks the index elsewhere; a lookup that fails is answered by what stands in for it, or leaves
   * the decision to load alone.
   */
  CompletionStage<Prompt> lookUpRemotely(SchedulingRequest request) {
    KvRouterConfig effective = request.configOverride().applyTo(config);
    BlockHasher blockHasher = hasher.of(request.routing());
    long[] localHashes = new long[blockHasher.blockCount(request.tokenIds().length())];
    blockHasher.hash(request.tokenIds(), localHashes);
    long[] sequenceHashes = new long[localHashes.length];
    SequenceHasher.hash(localHashes, localHashes.length, sequenceHashes);
    if (remote == null || localHashes.length == 0 || !effective.needsOverlap()) {
      return CompletableFuture.completedFuture(
          new Prompt(sequenceHashes, null, NO_HASHES, effective));
    }
    return remote
        .findMatches(localHashes)
        .handle(
            (overlap, failure) ->
                new Prompt(
                    sequenceHashes,
                    failure == null ? overlap : fallback(localHashes),
                    learns && request.updateIndexer() ? localHashes : NO_HASHES,
                    effective));
  }

  private @Nullable TieredOverlap fallback(long[] localHashes) {
    TieredOverlap overlap = overlap(localHashes);
    if (overlap != null) {
      fallbacks.incrementAndGet();
    }
    return overlap;
  }

  /** Tells the index where a prompt goes, if it learns from that; only queues. */
  DecisionLease teach(Prompt prompt, WorkerWithDpRank worker, WorkerInstance instance) {
    if (local == null || prompt.localHashes().length == 0) {
      return DecisionLease.none();
    }
    return local.record(
        RoutingDecision.of(
            worker, instance.totalKvBlocks(), prompt.localHashes(), prompt.sequenceHashes()));
  }

  /** Forgets workers that left, or came back as others, where nobody else tells the index. */
  void tableChanged(RankTable before, RankTable now) {
    if (local == null || !local.isApproximate()) {
      return;
    }
    for (WorkerInstance instance : before.snapshot()) {
      int index = now.indexOf(instance.rank(0));
      if (index < 0 || now.instance(index).incarnation() != instance.incarnation()) {
        local.removeWorker(instance.workerId());
      }
    }
  }

  private @Nullable TieredOverlap overlap(long[] localHashes) {
    if (local == null || localHashes.length == 0) {
      return null;
    }
    TieredOverlap overlap = TieredOverlap.create();
    local.findMatches(localHashes, localHashes.length, overlap);
    return overlap;
  }
}
