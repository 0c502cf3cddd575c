// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.core.tree.RadixTreeBuilder;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds a {@link KvIndexer}: {@link #environment} and {@link #blockSize} are required. */
public final class KvIndexerBuilder {
  /** Updates that may be pending unless {@link #maxPendingUpdates} says otherwise. */
  public static final int DEFAULT_MAX_PENDING_UPDATES = 1 << 16;

  /** How long a decision is believed without events unless {@link #routerTtl} says otherwise. */
  public static final Duration DEFAULT_ROUTER_TTL = Duration.ofMinutes(2);

  /** Blocks believed for decisions alone unless {@link #maxDecidedBlocks} says otherwise. */
  public static final long DEFAULT_MAX_DECIDED_BLOCKS = 1 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(KvIndexer.class);

  /** The most lanes that {@link #eventLanes} takes. */
  public static final int MAX_EVENT_LANES = 64;

  private @Nullable Environment environment;
  private int blockSize;
  private int maxPendingUpdates = DEFAULT_MAX_PENDING_UPDATES;
  private int eventLanes = 1;
  private boolean usesKvEvents = true;
  private @Nullable Duration routerTtl;
  private @Nullable Duration predictedTtl;
  private ApproximateCachePolicy approximateCachePolicy = ApproximateCachePolicy.TTL;
  private long maxBlocks = Long.MAX_VALUE;
  private long maxBlocksPerRank = Long.MAX_VALUE;
  private long maxDecidedBlocks = DEFAULT_MAX_DECIDED_BLOCKS;
  private final RadixTreeBuilder tree = RadixTree.builder();

  KvIndexerBuilder() {}

  /** Sets where updates run and where chance comes from. */
  public KvIndexerBuilder environment(Environment environment) {
    this.environment = Objects.requireNonNull(environment, "environment");
    return this;
  }

  /**
   * Sets tokens per block.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvIndexerBuilder blockSize(int tokens) {
    if (tokens < 1) {
      throw new IllegalArgumentException("block size must be positive: blockSize=" + tokens);
    }
    this.blockSize = tokens;
    return this;
  }

  /**
   * Sets how many updates may wait, on each lane, before events are dropped; see {@link
   * KvIndexer#submit}.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvIndexerBuilder maxPendingUpdates(int updates) {
    if (updates < 1) {
      throw new IllegalArgumentException(
          "pending updates must be positive: maxPendingUpdates=" + updates);
    }
    this.maxPendingUpdates = updates;
    return this;
  }

  /**
   * Sets on how many lanes events are applied, each with a tree of its own; Dynamo's {@code
   * router_event_threads}. A worker's events stay on one lane, in order; a lookup looks at every
   * tree. Lanes run side by side only where the environment's executor has as many threads. 1
   * unless set, and more pays only where one lane cannot keep up.
   *
   * @throws IllegalArgumentException if not from 1 to {@link #MAX_EVENT_LANES}
   */
  public KvIndexerBuilder eventLanes(int lanes) {
    if (lanes < 1 || lanes > MAX_EVENT_LANES) {
      throw new IllegalArgumentException(
          "lanes are out of range: eventLanes=" + lanes + ", most=" + MAX_EVENT_LANES);
    }
    this.eventLanes = lanes;
    return this;
  }

  /**
   * Sets how many ranks may hold blocks at one time, on each lane; events of one more are counted
   * as {@link EventOutcome#OUT_OF_CAPACITY}. 16,384 unless set.
   *
   * @throws IllegalArgumentException if not from 1 to 16,384
   */
  public KvIndexerBuilder maxRanks(int ranks) {
    tree.maxRanks(ranks);
    return this;
  }

  /**
   * Bounds memory by the blocks held over all ranks of a lane, on devices and below them alike,
   * about 40 bytes each where ranks share prefixes and up to about 250 where nothing is shared. A
   * store that would add more than there is room for is not applied and counted as {@link
   * EventOutcome#OUT_OF_CAPACITY}. Unbounded unless set.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvIndexerBuilder maxBlocks(long blocks) {
    tree.maxBlocks(blocks);
    this.maxBlocks = blocks;
    return this;
  }

  /**
   * Bounds the blocks held of each rank, on the device and below it each: no source can take the
   * room of the others, whatever it says. A store beyond it is not applied and counted as {@link
   * EventOutcome#OUT_OF_CAPACITY}. The blocks that a worker's cache has, or somewhat more, fit;
   * unbounded unless set.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvIndexerBuilder maxBlocksPerRank(long blocks) {
    tree.maxBlocksPerRank(blocks);
    this.maxBlocksPerRank = blocks;
    return this;
  }

  /**
   * Sets whether engines' events say what ranks hold; true unless set. If not, the index is
   * approximate: it learns from {@link KvIndexer#record} alone, ignores events, and believes a
   * decision as long as {@link #approximateCachePolicy} says. Building it logs one warning.
   */
  public KvIndexerBuilder useKvEvents(boolean use) {
    this.usesKvEvents = use;
    return this;
  }

  /** Sets what makes an approximate index forget; by time unless set. */
  public KvIndexerBuilder approximateCachePolicy(ApproximateCachePolicy policy) {
    this.approximateCachePolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * Sets how long an approximate index believes a decision, per block and from the last decision
   * that named it; {@link #DEFAULT_ROUTER_TTL} unless set. With events it has no effect, of which
   * one warning tells: what engines report is never forgotten by time.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvIndexerBuilder routerTtl(Duration ttl) {
    this.routerTtl = requirePositive("routerTtl", ttl);
    return this;
  }

  /**
   * Sets for how long, beside events, a rank is expected to hold what was sent to it, whether its
   * events have come or not. Kept apart from what events say: a score is the larger of the two. No
   * such expectation unless set.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvIndexerBuilder predictedTtl(Duration ttl) {
    this.predictedTtl = requirePositive("predictedTtl", ttl);
    return this;
  }

  /**
   * Bounds the blocks believed for decisions, on each lane: the longest unused go first. Where an
   * engine's declared room decides, that is the bound. {@link #DEFAULT_MAX_DECIDED_BLOCKS} unless
   * set.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvIndexerBuilder maxDecidedBlocks(long blocks) {
    if (blocks < 1) {
      throw new IllegalArgumentException("blocks must be positive: maxDecidedBlocks=" + blocks);
    }
    this.maxDecidedBlocks = blocks;
    return this;
  }

  private static Duration requirePositive(String name, Duration ttl) {
    if (ttl.isNegative() || ttl.isZero()) {
      throw new IllegalArgumentException("time to live must be positive: " + name + "=" + ttl);
    }
    return ttl;
  }

  /**
   * Returns a running index; the caller closes it.
   *
   * @throws IllegalStateException if a required setting is missing
   * @throws IllegalArgumentException if predictions beside events are asked for without events
   */
  public KvIndexer build() {
    if (environment == null || blockSize == 0) {
      throw new IllegalStateException(
          "index needs environment and block size: environment="
              + (environment == null ? "missing" : "set")
              + ", blockSize="
              + blockSize);
    }
    if (!usesKvEvents && predictedTtl != null) {
      throw new IllegalArgumentException(
          "router_predicted_ttl_secs requires use_kv_events=true: predictedTtl=" + predictedTtl);
    }
    warn();
    RandomSource random = environment.random().split("kv-indexer");
    IndexCounters counters = new IndexCounters();
    Refusals refusals = new Refusals();
    IndexLane[] lanes = new IndexLane[eventLanes];
    long mostBlocks = maxBlocks;
    long mostOfRank = maxBlocksPerRank;
    for (int i = 0; i < lanes.length; i++) {
      Scheduler lane = environment.lanes().lane("kv-indexer");
      long treeSeed = random.nextLong();
      Supplier<RadixTree> trees = tree.seed(treeSeed).toSupplier();
      RadixTree answering = trees.get();
      DecisionMemory decisions = decisions(answering, lane, random);
      long tierSeed = random.nextLong();
      lanes[i] =
          new IndexLane(
              LaneContent.of(answering, tierSeed, mostBlocks, mostOfRank),
              () -> LaneContent.of(trees.get(), tierSeed, mostBlocks, mostOfRank),
              decisions,
              lane,
              maxPendingUpdates,
              counters,
              refusals);
    }
    LaneTable table = new LaneTable(lanes, random.nextLong());
    return new TreeIndexer(table, counters, refusals, kind(), blockSize);
  }

  private IndexKind kind() {
    if (!usesKvEvents) {
      return IndexKind.DECISIONS;
    }
    return predictedTtl == null ? IndexKind.EVENTS : IndexKind.EVENTS_AND_DECISIONS;
  }

  private void warn() {
    if (!usesKvEvents) {
      LOG.warn(
          "KV index is approximate: it learns from own routing decisions, engines' events are"
              + " off: policy={}, ttl={}",
          approximateCachePolicy.optionName(),
          ttl());
    } else if (routerTtl != null) {
      LOG.warn(
          "router_ttl_secs has no effect while KV events are on: what engines report is not"
              + " forgotten by time: routerTtl={}",
          routerTtl);
    }
  }

  private Duration ttl() {
    return routerTtl == null ? DEFAULT_ROUTER_TTL : routerTtl;
  }

  private @Nullable DecisionMemory decisions(
      RadixTree answering, Scheduler lane, RandomSource random) {
    if (!usesKvEvents) {
      DecisionRetention retention =
          new DecisionRetention(approximateCachePolicy, ttl().toNanos(), maxDecidedBlocks);
      return new DecisionMemory(answering, lane, retention, random.nextLong());
    }
    if (predictedTtl == null) {
      return null;
    }
    DecisionRetention retention =
        new DecisionRetention(ApproximateCachePolicy.TTL, predictedTtl.toNanos(), maxDecidedBlocks);
    RadixTree predictions = RadixTree.create(random.nextLong());
    return new DecisionMemory(predictions, lane, retention, random.nextLong());
  }
}
