// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.indexer.TieredOverlap;
import org.jspecify.annotations.Nullable;

/**
 * What a decision needs of a prompt, got without a lock. Used again by another decision once {@link
 * PromptLookup#done} has it back.
 *
 * <p><b>Threads.</b> Of one decision at a time.
 */
final class Prompt {
  private static final long[] NO_HASHES = {};

  private @Nullable TieredOverlap room;
  private long[] sequenceHashes = NO_HASHES;
  private @Nullable TieredOverlap overlap;
  private long[] localHashes = NO_HASHES;
  private KvRouterConfig config = KvRouterConfig.ofDefaults();
  private PromptTimes times = PromptTimes.NONE;

  /**
   * Sets all of it.
   *
   * @param sequenceHashes of the full blocks, empty where nobody needs them; never written again
   * @param overlap who holds how much of it, null where nobody was asked
   * @param localHashes of the same blocks where the index learns from decisions, else empty
   * @param config by which the request is routed
   * @param times how long each step took
   */
  Prompt set(
      long[] sequenceHashes,
      @Nullable TieredOverlap overlap,
      long[] localHashes,
      KvRouterConfig config,
      PromptTimes times) {
    this.sequenceHashes = sequenceHashes;
    this.overlap = overlap;
    this.localHashes = localHashes;
    this.config = config;
    this.times = times;
    return this;
  }

  /** Lets go of what belongs to others. */
  void clear() {
    set(NO_HASHES, null, NO_HASHES, KvRouterConfig.ofDefaults(), PromptTimes.NONE);
  }

  /** Returns room for the result of a lookup; what it says is from before. */
  TieredOverlap room() {
    TieredOverlap made = room;
    if (made == null) {
      made = TieredOverlap.create();
      room = made;
    }
    return made;
  }

  long[] sequenceHashes() {
    return sequenceHashes;
  }

  @Nullable TieredOverlap overlap() {
    return overlap;
  }

  long[] localHashes() {
    return localHashes;
  }

  KvRouterConfig config() {
    return config;
  }

  PromptTimes times() {
    return times;
  }
}
