// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.ResponseSink;

/** Turns a request into what the engine keeps of it, or refuses what could never be served. */
final class RequestIntake {
  private final MockEngineConfig config;
  private final BlockHasher baseHasher;

  RequestIntake(MockEngineConfig config) {
    this.config = config;
    this.baseHasher = BlockHasher.of(BlockHashOptions.of(config.blockSize()));
  }

  /**
   * Checks a request against the engine's contract; its tokens are not read yet.
   *
   * @throws DynamoException of type {@code BACKEND_INVALID_ARGUMENT}
   */
  EngineRequest accept(
      String requestId, PreprocessedRequest request, ResponseSink<LLMEngineOutput> sink) {
    int promptTokens = request.tokenIds().length();
    StopConditions stop = request.stopConditions();
    require(promptTokens > 0, "prompt must not be empty", requestId, promptTokens);
    require(stop.maxTokens() != 0, "max_tokens must not be 0", requestId, 0);
    int choices = request.samplingOptions().n();
    require(choices == 1, "only one choice is supported", requestId, choices);
    // The last token needs no room of its own: nothing is computed after it.
    long room = config.capacityTokens() - promptTokens + 1;
    long maxTokens =
        stop.maxTokens() == StopConditions.UNSET
            ? Math.min(config.defaultMaxTokens(), room)
            : stop.maxTokens();
    require(
        maxTokens > 0 && maxTokens <= room && promptTokens + maxTokens <= Integer.MAX_VALUE,
        "prompt and answer must fit into the cache of " + config.capacityTokens() + " tokens",
        requestId,
        promptTokens + Math.max(1, maxTokens));
    return new EngineRequest(
        requestId, hasherFor(request.routing()), sink, promptTokens, (int) maxTokens, stop);
  }

  /** Reads the prompt once: hashes of its full blocks, token function, rest of the last block. */
  void read(EngineRequest request, TokenSlice prompt, long seed) {
    int blockSize = config.blockSize();
    int fullBlocks = prompt.length() / blockSize;
    request.reserveBlocks(fullBlocks + 1 + Math.min(request.maxTokens, 4096) / blockSize);
    for (int i = 0; i < fullBlocks; i++) {
      request.addBlock(prompt.backingArray(), prompt.backingOffset() + i * blockSize);
    }
    request.partialTokens = prompt.length() - fullBlocks * blockSize;
    request.partialBlock = new int[blockSize];
    prompt.copyTo(fullBlocks * blockSize, request.partialBlock, 0, request.partialTokens);
    request.unsentFrom = request.partialTokens;
    request.tokenState = TokenFunction.takeAll(TokenFunction.start(seed), prompt);
    request.prefillTarget = prompt.length();
  }

  /** Adapters and tenants have caches of their own: other hashes for equal tokens. */
  private BlockHasher hasherFor(RoutingHints routing) {
    if (routing.loraName().isEmpty() && routing.cacheNamespace().isEmpty()) {
      return baseHasher;
    }
    return BlockHasher.of(
        BlockHashOptions.builder(config.blockSize())
            .loraName(routing.loraName())
            .cacheNamespace(routing.cacheNamespace())
            .build());
  }

  private static void require(boolean condition, String what, String requestId, long value) {
    if (!condition) {
      throw new DynamoException(
          ErrorType.BACKEND_INVALID_ARGUMENT,
          what + ": requestId=" + requestId + ", value=" + value);
    }
  }
}
