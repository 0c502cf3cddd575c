// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.testing.SharedData;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InfiniteCacheCeilingTest {

  @ParameterizedTest
  @CsvSource({
    "conversation_trace, 0.3734",
    "mooncake_trace_1000, 0.3905",
    "synthetic_trace, 0.6504",
  })
  void shouldEqualTheRecordedCeiling(String trace, double hitRate) {
    List<TraceRow> rows = TraceReader.read(SharedData.trace(trace + ".jsonl"));

    assertThat(InfiniteCacheCeiling.of(rows, 512, 512).hitRate()).isCloseTo(hitRate, within(5e-5));
  }

  @ParameterizedTest
  @CsvSource({"16", "48", "64", "512", "700", "1024"})
  void shouldAgreeWithHashingThePromptsForEveryBlockSize(int blockSize) {
    List<TraceRow> rows = SyntheticTrace.generate(3, 60);

    assertThat(InfiniteCacheCeiling.of(rows, 512, blockSize).reusedTokens())
        .isEqualTo(reusedByHashing(rows, blockSize))
        .isPositive();
  }

  @Test
  void shouldComputeTheLastTokenOfAPromptThatIsKnownWhole() {
    TraceRow row = TraceRow.of(0, 1024, 1, new long[] {1, 2});

    InfiniteCacheCeiling ceiling = InfiniteCacheCeiling.of(List.of(row, row), 512, 512);

    assertThat(ceiling.reusedTokens()).isEqualTo(512);
    assertThat(ceiling.inputTokens()).isEqualTo(2048);
    assertThat(ceiling.hitRate()).isEqualTo(0.25);
  }

  private static long reusedByHashing(List<TraceRow> rows, int blockSize) {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(blockSize));
    PromptTokens prompts = PromptTokens.of(512);
    Set<Long> seen = new HashSet<>();
    long reused = 0;
    for (int i = 0; i < rows.size(); i++) {
      long[] hashes = hasher.hash(prompts.prompt(rows.get(i), i));
      SequenceHasher.hash(hashes, hashes.length, hashes);
      int matched = 0;
      while (matched < (rows.get(i).inputLength() - 1) / blockSize
          && seen.contains(hashes[matched])) {
        matched++;
      }
      reused += (long) matched * blockSize;
      for (long hash : hashes) {
        seen.add(hash);
      }
    }
    return reused;
  }
}
