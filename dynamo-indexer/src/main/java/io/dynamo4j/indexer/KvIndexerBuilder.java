// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.core.tree.RadixTreeBuilder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link KvIndexer}: {@link #environment} and {@link #blockSize} are required. */
public final class KvIndexerBuilder {
  /** Updates that may be pending unless {@link #maxPendingUpdates} says otherwise. */
  public static final int DEFAULT_MAX_PENDING_UPDATES = 1 << 16;

  /** The most lanes that {@link #eventLanes} takes. */
  public static final int MAX_EVENT_LANES = 64;

  private @Nullable Environment environment;
  private int blockSize;
  private int maxPendingUpdates = DEFAULT_MAX_PENDING_UPDATES;
  private int eventLanes = 1;
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
   * Bounds memory by the blocks held over all ranks of a lane, about 40 bytes each where ranks
   * share prefixes and up to about 250 where nothing is shared. A store that would add more than
   * there is room for is not applied and counted as {@link EventOutcome#OUT_OF_CAPACITY}. Unbounded
   * unless set.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KvIndexerBuilder maxBlocks(long blocks) {
    tree.maxBlocks(blocks);
    return this;
  }

  /**
   * Returns a running index; the caller closes it.
   *
   * @throws IllegalStateException if a required setting is missing
   */
  public KvIndexer build() {
    if (environment == null || blockSize == 0) {
      throw new IllegalStateException(
          "index needs environment and block size: environment="
              + (environment == null ? "missing" : "set")
              + ", blockSize="
              + blockSize);
    }
    RandomSource random = environment.random().split("kv-indexer");
    IndexCounters counters = new IndexCounters();
    Refusals refusals = new Refusals();
    IndexLane[] lanes = new IndexLane[eventLanes];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] =
          new IndexLane(
              tree.seed(random.nextLong()).build(),
              environment.lanes().lane("kv-indexer"),
              maxPendingUpdates,
              counters,
              refusals);
    }
    return new TreeIndexer(new LaneTable(lanes, random.nextLong()), counters, refusals, blockSize);
  }
}
