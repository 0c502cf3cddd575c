// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.plane.ResponseSink;
import java.util.Arrays;

/**
 * One request inside an engine: what it may generate, how far it is, which blocks it holds.
 *
 * <p>Of the tokens only the hashes of full blocks, the tokens of the last partial block and the
 * state of the token function are kept.
 *
 * <p>A plain structure of the engine's lane; {@link EngineScheduler} and {@link TokenEmitter} work
 * on its fields.
 */
final class EngineRequest {
  final String requestId;
  final BlockHasher hasher;
  final ResponseSink<LLMEngineOutput> sink;
  final int promptTokens;
  final int maxTokens;
  final long minTokens;
  final boolean ignoreEos;
  final int[] stopTokens;

  /** Local hashes of the full blocks of prompt and answer; {@link #hashedBlocks} of them count. */
  long[] localHashes = new long[0];

  long[] sequenceHashes = new long[0];
  int hashedBlocks;

  /** Tokens behind the last full block. Never rewritten: frames are views of it. */
  int[] partialBlock = new int[0];

  int partialTokens;

  /** Where the tokens not yet sent begin in {@link #partialBlock}. */
  int unsentFrom;

  long tokenState;
  int generatedTokens;

  /** Tokens that must be in cache or computed before the next one can be generated. */
  int prefillTarget;

  int computedTokens;
  int cachedTokens;

  /** Pool slots of the full blocks held, as a prefix of the sequence. */
  int[] slots = new int[0];

  int heldBlocks;
  int privateBlocks;
  boolean wasAdmitted;
  boolean isFinished;

  /** Set when a frame could not be delivered any more. */
  boolean isAbandoned;

  EngineRequest(
      String requestId,
      BlockHasher hasher,
      ResponseSink<LLMEngineOutput> sink,
      int promptTokens,
      int maxTokens,
      StopConditions stop) {
    this.requestId = requestId;
    this.hasher = hasher;
    this.sink = sink;
    this.promptTokens = promptTokens;
    this.maxTokens = maxTokens;
    this.minTokens = stop.minTokens();
    this.ignoreEos = stop.ignoreEos();
    this.stopTokens = stop.stopTokenIds().stream().mapToInt(Integer::intValue).toArray();
  }

  /** Prompt and answer so far. */
  int contextTokens() {
    return promptTokens + generatedTokens;
  }

  /** Makes room for the hashes of {@code count} full blocks. */
  void reserveBlocks(int count) {
    localHashes = Arrays.copyOf(localHashes, count);
    sequenceHashes = Arrays.copyOf(sequenceHashes, count);
  }

  /** Hashes one more full block, which follows the last. */
  void addBlock(int[] tokens, int offset) {
    int index = hashedBlocks;
    if (index == localHashes.length) {
      reserveBlocks(Math.max(4, index + (index >> 1)));
    }
    long local = hasher.localHash(tokens, offset);
    localHashes[index] = local;
    sequenceHashes[index] =
        index == 0 ? local : hasher.sequenceHash(sequenceHashes[index - 1], local);
    hashedBlocks++;
  }

  void hold(int slot) {
    if (heldBlocks == slots.length) {
      slots = Arrays.copyOf(slots, Math.max(8, heldBlocks * 2));
    }
    slots[heldBlocks++] = slot;
  }
}
