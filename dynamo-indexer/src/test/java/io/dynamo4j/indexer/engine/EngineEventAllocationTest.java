// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import static io.dynamo4j.indexer.engine.EngineBatches.batch;
import static io.dynamo4j.indexer.engine.EngineBatches.list;
import static io.dynamo4j.indexer.engine.EngineBatches.map;
import static io.dynamo4j.indexer.engine.EngineBatches.nil;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.AllocationMeter;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.value.Value;

class EngineEventAllocationTest {
  private static final int BLOCK = 16;

  /** A dozen small objects, of which compilers leave out more or fewer. */
  private static final double MAX_CONSTANT = 700;

  private final AllocationMeter meter = AllocationMeter.create();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAllocateSixteenBytesABlockAndAConstantAMessage(boolean isMap) {
    for (int blocks : new int[] {8, 64, 512}) {
      double constant = bytesPerMessage(blocks, isMap) - 16.0 * blocks;
      assertThat(constant).as("beside %d blocks", blocks).isBetween(64.0, MAX_CONSTANT);
    }
  }

  /** A message that stores the same blocks each time, as copies. */
  private double bytesPerMessage(int blocks, boolean isMap) {
    long[] hashes = new long[blocks];
    Arrays.setAll(hashes, i -> i * 0x9e3779b97f4a7c15L);
    long[] tokens = new long[blocks * BLOCK];
    Arrays.setAll(tokens, i -> i);
    Value event =
        isMap
            ? map(
                "type",
                "BlockStored",
                "block_hashes",
                hashes,
                "parent_block_hash",
                nil(),
                "token_ids",
                tokens,
                "block_size",
                BLOCK,
                "medium",
                "GPU",
                "session_id",
                "s")
            : list("BlockStored", hashes, nil(), tokens, BLOCK, nil(), "GPU", nil(), nil());
    byte[] message = batch(event);
    EngineEventNormalizer normalizer = EngineEventNormalizer.builder(1, BLOCK).build();
    assertThat(normalizer.normalize(message)).hasSize(1);
    return meter.bytesPerRun(() -> normalizer.normalize(message));
  }
}
