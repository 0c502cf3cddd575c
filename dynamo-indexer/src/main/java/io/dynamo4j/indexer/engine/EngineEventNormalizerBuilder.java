// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.Objects;

/** Builds an {@link EngineEventNormalizer}; every setting has a default. */
public final class EngineEventNormalizerBuilder {
  /** Blocks that a worker may hold unless {@link #maxBlocks} says otherwise. */
  public static final int DEFAULT_MAX_BLOCKS = 1 << 24;

  final long workerId;
  final int blockSize;
  final LongObjectMap<String> adapters = LongObjectMap.create(0);
  int dpRank;
  int dpStart;

  /** 0 for ranks that nobody declares. */
  int dpSize;

  int maxBlocks = DEFAULT_MAX_BLOCKS;
  long seed;
  BlockContents contents = BlockContents.withoutImageToken();

  EngineEventNormalizerBuilder(long workerId, int blockSize) {
    if (blockSize < 1) {
      throw new IllegalArgumentException("block size must be positive: blockSize=" + blockSize);
    }
    this.workerId = workerId;
    this.blockSize = blockSize;
  }

  /** Sets the rank of batches that name none, unsigned; default 0. */
  public EngineEventNormalizerBuilder dpRank(int rank) {
    this.dpRank = rank;
    return this;
  }

  /**
   * Sets which ranks the worker declares: {@code size} from {@code start} on, unsigned; default all
   * there can be, of which 4,096 are taken notice of.
   *
   * @throws IllegalArgumentException if {@code size} is not positive
   */
  public EngineEventNormalizerBuilder ranks(int start, int size) {
    if (size < 1) {
      throw new IllegalArgumentException(
          "ranks must be positive: start=" + start + ", size=" + size);
    }
    this.dpStart = start;
    this.dpSize = size;
    return this;
  }

  /** Gives a name to an adapter that the engine names by number only. */
  public EngineEventNormalizerBuilder adapter(long loraId, String loraName) {
    adapters.put(loraId, Objects.requireNonNull(loraName, "loraName"));
    return this;
  }

  /** Sets the token, unsigned, that stands for images in prompts; default none. */
  public EngineEventNormalizerBuilder imageToken(int token) {
    this.contents = BlockContents.withImageToken(token);
    return this;
  }

  /**
   * Sets how many blocks each rank may hold, copies not counted and tiers apart; stores beyond are
   * refused.
   *
   * @throws IllegalArgumentException if not positive
   */
  public EngineEventNormalizerBuilder maxBlocks(int blocks) {
    if (blocks < 1) {
      throw new IllegalArgumentException("blocks must be positive: maxBlocks=" + blocks);
    }
    this.maxBlocks = blocks;
    return this;
  }

  /** Draws what makes hashes that a peer has crafted harmless; default none. */
  public EngineEventNormalizerBuilder random(RandomSource random) {
    this.seed = random.split("engine-events").nextLong();
    return this;
  }

  public EngineEventNormalizer build() {
    return new EngineEventNormalizer(this);
  }
}
