// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.DecisionLease;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RoutingDecision;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.indexer.remote.RemoteIndex;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;
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
  private final boolean tells;
  private final PromptHasher hasher;
  private final PromptPool pool = new PromptPool();
  private final @Nullable NanoClock timer;

  /**
   * Prepares lookups.
   *
   * @param timer what steps are timed by, null if nobody wants to know
   */
  PromptLookup(
      KvRouterConfig config,
      @Nullable KvIndexer indexer,
      @Nullable RemoteIndex remote,
      @Nullable KvIndexer fallback,
      int blockSize,
      @Nullable NanoClock timer) {
    this.config = config;
    this.remote = config.needsOverlap() ? remote : null;
    this.indexer = config.needsOverlap() ? indexer : null;
    this.local = this.remote == null ? this.indexer : fallback;
    this.learns = local != null && local.learnsFromDecisions();
    this.tells = this.remote != null && this.remote.recordsDecisions();
    this.hasher = new PromptHasher(blockSize);
    this.timer = timer;
  }

  Prompt lookUp(SchedulingRequest request) {
    KvRouterConfig effective = request.configOverride().applyTo(config);
    boolean asks = (local != null || tells) && effective.needsOverlap();
    boolean sharesBlocks = effective.routerTrackActiveBlocks() && effective.routerAssumeKvReuse();
    if (!asks && !sharesBlocks) {
      return pool.take().set(NO_HASHES, null, NO_HASHES, effective, PromptTimes.NONE);
    }
    long[] known = request.localHashes();
    if (known != null) {
      return lookUp(request, effective, requireFitting(request, known), asks);
    }
    Prompt prompt = pool.take();
    long start = nanoTime();
    long[] hashes = localHashes(request);
    long hashed = nanoTime();
    @Nullable TieredOverlap overlap = asks ? overlap(hashes, prompt) : null;
    long lookedUp = nanoTime();
    long[] localHashes = asks && isTaught(request) ? hashes.clone() : NO_HASHES;
    SequenceHasher.hash(hashes, hashes.length, hashes);
    PromptTimes times =
        timer == null
            ? PromptTimes.NONE
            : new PromptTimes(hashed - start, nanoTime() - lookedUp, lookedUp - hashed);
    return prompt.set(hashes, overlap, localHashes, effective, times);
  }

  private long nanoTime() {
    return timer == null ? 0 : timer.nanoTime();
  }

  private Prompt lookUp(
      SchedulingRequest request, KvRouterConfig effective, long[] known, boolean asks) {
    long[] chain = Objects.requireNonNull(request.sequenceHashes());
    Prompt prompt = pool.take();
    long start = nanoTime();
    @Nullable TieredOverlap overlap = asks ? overlap(known, prompt) : null;
    PromptTimes times =
        timer == null ? PromptTimes.NONE : new PromptTimes(0, 0, nanoTime() - start);
    long[] taught = asks && isTaught(request) ? known : NO_HASHES;
    return prompt.set(chain, overlap, taught, effective, times);
  }

  private long[] localHashes(SchedulingRequest request) {
    TokenSlice tokens = request.tokenIds();
    BlockHasher blockHasher = hasher.of(request.routing());
    long[] hashes = new long[blockHasher.blockCount(tokens.length())];
    blockHasher.hash(tokens, hashes);
    return hashes;
  }

  private long[] requireFitting(SchedulingRequest request, long[] known) {
    int blocks = hasher.of(request.routing()).blockCount(request.tokenIds().length());
    if (known.length != blocks) {
      throw new IllegalArgumentException(
          "hashes are not those of the prompt's full blocks: request="
              + request.key()
              + ", hashes="
              + known.length
              + ", blocks="
              + blocks);
    }
    return known;
  }

  /** Takes a prompt back after its decision; nobody may look at it any more. */
  void done(Prompt prompt) {
    if (!isRemote()) {
      prompt.clear();
      pool.giveBack(prompt);
    }
  }

  /** Returns whether an index, here or elsewhere, is to hear where the prompt goes. */
  private boolean isTaught(SchedulingRequest request) {
    return (learns || tells) && request.updateIndexer();
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
    long[] known = request.localHashes();
    long[] localHashes = known == null ? localHashes(request) : requireFitting(request, known);
    long[] sequenceHashes = sequenceHashes(request, localHashes);
    if (remote == null || localHashes.length == 0 || !effective.needsOverlap()) {
      return CompletableFuture.completedFuture(
          new Prompt().set(sequenceHashes, null, NO_HASHES, effective, PromptTimes.NONE));
    }
    return remote
        .findMatches(localHashes)
        .handle(
            (overlap, failure) -> {
              Prompt prompt = new Prompt();
              return prompt.set(
                  sequenceHashes,
                  failure == null ? overlap : fallback(localHashes, prompt),
                  isTaught(request) ? localHashes : NO_HASHES,
                  effective,
                  PromptTimes.NONE);
            });
  }

  private static long[] sequenceHashes(SchedulingRequest request, long[] localHashes) {
    long[] known = request.sequenceHashes();
    if (known != null) {
      return known;
    }
    long[] chain = new long[localHashes.length];
    SequenceHasher.hash(localHashes, localHashes.length, chain);
    return chain;
  }

  private @Nullable TieredOverlap fallback(long[] localHashes, Prompt prompt) {
    TieredOverlap overlap = overlap(localHashes, prompt);
    if (overlap != null) {
      fallbacks.incrementAndGet();
    }
    return overlap;
  }

  /** Tells the indexes that learn from it where a prompt goes; only queues. */
  DecisionLease teach(Prompt prompt, WorkerWithDpRank worker, WorkerInstance instance) {
    if (prompt.localHashes().length == 0) {
      return DecisionLease.none();
    }
    RoutingDecision decision =
        RoutingDecision.of(
            worker, instance.totalKvBlocks(), prompt.localHashes(), prompt.sequenceHashes());
    if (remote != null) {
      remote.record(decision);
    }
    return local == null ? DecisionLease.none() : local.record(decision);
  }

  /** Returns what is counted of an index elsewhere. */
  RemoteFigures remoteFigures() {
    return remote == null
        ? RemoteFigures.NONE
        : new RemoteFigures(
            remote.queries(), remote.failures(), fallbacks(), remote.recordFailures());
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

  private @Nullable TieredOverlap overlap(long[] localHashes, Prompt prompt) {
    if (local == null || localHashes.length == 0) {
      return null;
    }
    TieredOverlap overlap = prompt.room();
    local.findMatches(localHashes, localHashes.length, overlap);
    return overlap;
  }
}
