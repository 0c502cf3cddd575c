// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.runtime.NanoClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides what a step computes, and keeps every request's blocks: continuous batching with chunked
 * prefill and prefix caching, first come first served.
 *
 * <p><b>Plan.</b> Running requests first, in the order of their admission: one that still reads its
 * context gets a chunk of it, any other one token. Then waiting requests, as long as budget, seats
 * and blocks last; the first that does not fit holds up the rest. A request finds the longest
 * cached prefix of its full blocks, but always computes at least one token. Full blocks of a chunk
 * count as cached from the moment they are planned, for requests admitted in the same step too.
 *
 * <p><b>Room.</b> Generated tokens take further blocks as they come. When requests hold more blocks
 * than there are, the youngest gives up all of its own and waits at the head of the queue. Intake
 * admits no request that is larger than the pool, so the oldest always gets on.
 *
 * <p><b>Threads.</b> Not thread-safe: the engine's lane.
 */
final class EngineScheduler {
  private final MockEngineConfig config;
  private final BlockPool pool;
  private final CacheEventLog log;
  private final EngineListener listener;
  private final NanoClock clock;
  private final List<EngineRequest> running = new ArrayList<>();
  private final ArrayDeque<EngineRequest> waiting = new ArrayDeque<>();
  private long preemptionCount;

  EngineScheduler(
      MockEngineConfig config, CacheEventLog log, EngineListener listener, NanoClock clock) {
    this.config = config;
    this.pool = new BlockPool(config.capacityBlocks());
    this.log = log;
    this.listener = listener;
    this.clock = clock;
  }

  void enqueue(EngineRequest request) {
    waiting.addLast(request);
  }

  boolean hasWork() {
    return !running.isEmpty() || !waiting.isEmpty();
  }

  /** Fills {@code batch}; it stays empty only if there is nothing to do. */
  void plan(EngineBatch batch) {
    batch.begin(config.maxBatchedTokens());
    for (int i = 0; i < running.size() && batch.budget() > 0; i++) {
      EngineRequest request = running.get(i);
      if (request.computedTokens < request.prefillTarget) {
        planChunk(request, batch);
      } else {
        batch.addDecode(request);
      }
    }
    while (!waiting.isEmpty() && batch.budget() > 0 && running.size() < config.maxSequences()) {
      EngineRequest request = waiting.peekFirst();
      if (!tryAdmit(request)) {
        return;
      }
      waiting.removeFirst();
      running.add(request);
      planChunk(request, batch);
    }
  }

  /** Books what the end of a step computed for one request; true if it now generates a token. */
  boolean advance(EngineRequest request, int chunk) {
    request.computedTokens += chunk;
    return request.computedTokens >= request.prefillTarget;
  }

  /** Books a generated token: the block that it completed, the room that the next one needs. */
  void grow(EngineRequest request) {
    // The new token itself is computed in the next step.
    commit(request, (request.contextTokens() - 1) / config.blockSize());
    int needed = blocksFor(request.contextTokens());
    int missing = needed - request.heldBlocks - request.privateBlocks;
    if (missing > 0) {
      addPrivate(request, missing);
    }
  }

  /** Ends a request wherever it stands; a second call does nothing. */
  void remove(EngineRequest request) {
    if (running.remove(request)) {
      release(request);
    } else {
      waiting.remove(request);
    }
  }

  /** Makes requests fit again, the youngest first to go, then evicts what is idle. */
  void makeRoom() {
    while (pool.isOvercommitted()) {
      preemptYoungest();
    }
    pool.evictOverflow(log);
  }

  /** Empties the cache; requests start over with their context. */
  void clearCache() {
    while (!running.isEmpty()) {
      preemptYoungest();
    }
    pool.dropIdle();
    log.cleared();
  }

  /** Removes and returns every request, the running first. */
  List<EngineRequest> removeAll() {
    List<EngineRequest> all = new ArrayList<>(running);
    all.addAll(waiting);
    running.forEach(this::release);
    running.clear();
    waiting.clear();
    return all;
  }

  int runningCount() {
    return running.size();
  }

  int waitingCount() {
    return waiting.size();
  }

  long preemptionCount() {
    return preemptionCount;
  }

  BlockPool pool() {
    return pool;
  }

  void checkInvariants() {
    long references = 0;
    int privateBlocks = 0;
    for (EngineRequest request : running) {
      references += request.heldBlocks;
      privateBlocks += request.privateBlocks;
    }
    for (EngineRequest request : waiting) {
      if (request.heldBlocks + request.privateBlocks != 0) {
        throw new IllegalStateException(
            "waiting request holds blocks: requestId=" + request.requestId);
      }
    }
    pool.checkInvariants(references, privateBlocks);
  }

  private boolean tryAdmit(EngineRequest request) {
    int reusable = (request.prefillTarget - 1) / config.blockSize();
    int matched = 0;
    int matchedIdle = 0;
    while (matched < reusable) {
      int slot = pool.find(request.sequenceHashes[matched]);
      if (slot == BlockPool.NONE) {
        break;
      }
      matchedIdle += pool.isIdle(slot) ? 1 : 0;
      matched++;
    }
    int needed = blocksFor(request.prefillTarget) - matched;
    if (needed > pool.available() - matchedIdle) {
      return false;
    }
    for (int i = 0; i < matched; i++) {
      hold(request, pool.find(request.sequenceHashes[i]));
    }
    addPrivate(request, needed);
    pool.evictOverflow(log);
    request.cachedTokens = matched * config.blockSize();
    request.computedTokens = request.cachedTokens;
    report(request);
    return true;
  }

  private void report(EngineRequest request) {
    if (request.wasAdmitted) {
      listener.resumed(
          request.requestId, request.cachedTokens, request.prefillTarget, clock.nanoTime());
    } else {
      request.wasAdmitted = true;
      listener.admitted(
          request.requestId, request.cachedTokens, request.promptTokens, clock.nanoTime());
    }
  }

  private void planChunk(EngineRequest request, EngineBatch batch) {
    int chunk = Math.min(request.prefillTarget - request.computedTokens, batch.budget());
    batch.addPrefill(request, chunk);
    commit(request, (request.computedTokens + chunk) / config.blockSize());
  }

  /** Turns private blocks of a request into full ones, up to the {@code upTo}-th. */
  private void commit(EngineRequest request, int upTo) {
    int begin = request.heldBlocks;
    if (upTo <= begin) {
      return;
    }
    int unpublished = begin;
    for (int i = begin; i < upTo; i++) {
      long hash = request.sequenceHashes[i];
      int slot = pool.find(hash);
      if (slot == BlockPool.NONE) {
        request.hold(pool.insertPinned(hash));
      } else {
        // Somebody computed the same block meanwhile: one copy stays, published once.
        log.stored(request, unpublished, i);
        unpublished = i + 1;
        hold(request, slot);
      }
    }
    log.stored(request, unpublished, upTo);
    addPrivate(request, begin - upTo);
  }

  private void preemptYoungest() {
    EngineRequest request = running.remove(running.size() - 1);
    release(request);
    request.prefillTarget = request.contextTokens();
    request.computedTokens = 0;
    waiting.addFirst(request);
    preemptionCount++;
    listener.preempted(request.requestId, request.generatedTokens, clock.nanoTime());
  }

  /** Gives all blocks back, the last first, so that a parent outlives its children. */
  private void release(EngineRequest request) {
    addPrivate(request, -request.privateBlocks);
    while (request.heldBlocks > 0) {
      pool.unpin(request.slots[--request.heldBlocks]);
    }
  }

  private void hold(EngineRequest request, int slot) {
    pool.pin(slot);
    request.hold(slot);
  }

  private void addPrivate(EngineRequest request, int blocks) {
    request.privateBlocks += blocks;
    pool.addPrivate(blocks);
  }

  private int blocksFor(int tokens) {
    return (int) (((long) tokens + config.blockSize() - 1) / config.blockSize());
  }
}
