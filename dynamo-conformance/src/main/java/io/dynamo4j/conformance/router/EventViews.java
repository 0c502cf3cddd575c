// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.tree.Block;
import io.dynamo4j.conformance.tree.Index;
import io.dynamo4j.conformance.tree.Indexes;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What workers publish, or decisions say, in the index under test, in plain collections and in the
 * peer's tree.
 */
final class EventViews {
  private final RouterSetup setup;
  private final KvIndexer ours;
  private final LongSupplier clock;
  private final DecidedBlocks decided;
  private final Index right = Indexes.exact();
  private final Index peer = Indexes.peer();
  private final Map<WorkerWithDpRank, Long> lastEventIds = new LinkedHashMap<>();
  private final Map<Long, List<Long>> chainsByHash = new LinkedHashMap<>();
  private final List<List<Long>> chains = new ArrayList<>();
  private final Map<WorkerWithDpRank, Map<Long, List<Long>>> held = new LinkedHashMap<>();

  EventViews(RouterSetup setup, KvIndexer ours, LongSupplier clock) {
    this.setup = setup;
    this.clock = clock;
    this.decided = new DecidedBlocks(setup);
    this.ours = ours;
  }

  void stored(JsonNode step) {
    JsonNode parent = step.path(step.has("parent_hash") ? "parent_hash" : "parent");
    String hashes = step.has("block_hashes") ? "block_hashes" : "hashes";
    store(
        rank(step),
        parent.isNull() || parent.isMissingNode() ? null : Fields.bits(parent),
        blocks(step, Fields.bitsArray(step, hashes)));
  }

  private void store(WorkerWithDpRank worker, @Nullable Long parent, List<Block> blocks) {
    if (blocks.isEmpty()) {
      return;
    }
    remember(worker, parent, blocks);
    right.store(worker, parent, blocks);
    peer.store(worker, parent, blocks);
    long[] externals = blocks.stream().mapToLong(Block::external).toArray();
    long[] locals = blocks.stream().mapToLong(Block::local).toArray();
    submit(
        worker,
        parent == null
            ? Stored.atRoot(externals, locals)
            : Stored.under(parent, externals, locals));
  }

  private void remember(WorkerWithDpRank worker, @Nullable Long parent, List<Block> blocks) {
    List<Long> chain =
        new ArrayList<>(parent == null ? List.of() : chainsByHash.getOrDefault(parent, List.of()));
    for (Block block : blocks) {
      chain.add(block.local());
      chainsByHash.put(block.external(), List.copyOf(chain));
      held.computeIfAbsent(worker, w -> new LinkedHashMap<>())
          .put(block.external(), List.copyOf(chain));
    }
    chains.add(chain);
  }

  void removed(JsonNode step) {
    String name = step.has("block_hashes") ? "block_hashes" : "hashes";
    long[] hashes = Fields.bitsArray(step, name);
    List<Long> list = new ArrayList<>();
    for (long hash : hashes) {
      list.add(hash);
    }
    held.getOrDefault(rank(step), new LinkedHashMap<>()).keySet().removeAll(list);
    right.remove(rank(step), list);
    peer.remove(rank(step), list);
    submit(rank(step), KvCacheEventData.Removed.of(hashes));
  }

  private void submit(WorkerWithDpRank worker, KvCacheEventData data) {
    long id = lastEventIds.merge(worker, 1L, Long::sum);
    KvCacheEvent event = KvCacheEvent.of(id, worker.dpRank(), data);
    ours.submit(RouterEvent.of(worker.workerId(), StorageTier.DEVICE, event));
  }

  /** Returns the matched blocks of each rank: the right ones, or the peer's. */
  Map<WorkerWithDpRank, Integer> overlap(TokenSlice tokens, String cacheNamespace, boolean asPeer) {
    return overlap(locals(tokens, cacheNamespace), asPeer);
  }

  private List<Long> locals(TokenSlice tokens, String cacheNamespace) {
    List<Long> locals = new ArrayList<>();
    for (long hash : hasher(cacheNamespace).hash(tokens)) {
      locals.add(hash);
    }
    return locals;
  }

  /** A rank was told to expect a prompt that is not sent. */
  void told(WorkerWithDpRank worker, TokenSlice tokens) {
    List<Long> locals = locals(tokens, "");
    chains.add(locals);
    decided.told(worker, locals, clock.getAsLong());
  }

  /** A rank was sent a prompt and has answered with so many tokens. */
  void served(WorkerWithDpRank worker, TokenSlice tokens, int answered) {
    List<Long> locals = locals(tokens, "");
    chains.add(locals);
    int length = tokens.length() + answered;
    int ownBlocks = (length + setup.blockSize() - 1) / setup.blockSize() - locals.size();
    decided.served(worker, locals, ownBlocks, clock.getAsLong());
  }

  Map<WorkerWithDpRank, Integer> overlap(List<Long> locals, boolean asPeer) {
    if (setup.config().overlapScoreCredit() == 0) {
      return Map.of();
    }
    return setup.usesEvents()
        ? (asPeer ? peer : right).find(locals)
        : decided.find(locals, clock.getAsLong());
  }

  /** Returns every way from the root to a block that was ever published, by any rank. */
  List<List<Long>> paths() {
    List<List<Long>> paths = new ArrayList<>();
    for (List<Long> chain : chains) {
      for (int depth = 1; depth <= chain.size(); depth++) {
        List<Long> path = chain.subList(0, depth);
        if (!paths.contains(path)) {
          paths.add(path);
        }
      }
    }
    return paths;
  }

  /** Returns whether a rank still has a block, though perhaps none before it. */
  boolean isHeld(WorkerWithDpRank worker, List<Long> path) {
    return held.getOrDefault(worker, Map.of()).containsValue(path);
  }

  /** Returns the way from the root to the block that an external hash was last published for. */
  List<Long> pathOf(long externalHash) {
    return chainsByHash.getOrDefault(externalHash, List.of());
  }

  private WorkerWithDpRank rank(JsonNode step) {
    var instance = setup.workers().get(step.path("w").asInt());
    return new WorkerWithDpRank(instance.workerId(), step.path("rank").asInt(instance.dpStart()));
  }

  /**
   * Pairs external hashes with the blocks of the tokens; a publisher stops without a word where
   * tokens run out or a block has another size.
   */
  private List<Block> blocks(JsonNode step, long[] externals) {
    TokenSlice tokens = RouterSetup.tokens(step);
    long[] locals = hasher(Fields.textOrEmpty(step, "cache_salt")).hash(tokens);
    JsonNode sizes = step.path("num_block_tokens");
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < Math.min(externals.length, locals.length); i++) {
      if (sizes.isArray() && sizes.path(i).asInt(-1) != setup.blockSize()) {
        break;
      }
      blocks.add(new Block(locals[i], externals[i]));
    }
    return blocks;
  }

  private BlockHasher hasher(String cacheNamespace) {
    return BlockHasher.of(
        BlockHashOptions.builder(setup.blockSize()).cacheNamespace(cacheNamespace).build());
  }
}
