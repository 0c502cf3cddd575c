// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PromptTokensTest {
  private final PromptTokens prompts = PromptTokens.of(512);

  private TokenSlice prompt(int rowIndex, int length, long... hashIds) {
    return prompts.prompt(TraceRow.of(0, length, 1, hashIds), rowIndex);
  }

  @Test
  void shouldMakeABlockFromItsIdAlone() {
    TokenSlice first = prompt(0, 1500, 4, 5, 6);
    TokenSlice second = prompt(9, 1600, 5, 4, 5, 8);

    assertThat(first.length()).isEqualTo(1500);
    assertThat(first.slice(0, 512)).isEqualTo(second.slice(512, 1024));
    assertThat(first.slice(512, 1024)).isEqualTo(second.slice(0, 512));
    assertThat(first.slice(0, 512)).isNotEqualTo(first.slice(512, 1024));
  }

  @Test
  void shouldBeginAPartialBlockLikeTheWholeOne() {
    assertThat(prompt(0, 600, 4, 5).slice(512, 600))
        .isEqualTo(prompt(1, 1024, 4, 5).slice(512, 600));
  }

  @Test
  void shouldMakeARestWithoutIdUniqueToItsRow() {
    TokenSlice rest = prompt(0, 600, 4).slice(512, 600);

    assertThat(rest).isEqualTo(prompt(0, 600, 4).slice(512, 600));
    assertThat(rest).isNotEqualTo(prompt(1, 600, 4).slice(512, 600));
  }

  @Test
  void shouldNotMakeTwoBlocksAlike() {
    TreeSet<Integer> digests = new TreeSet<>();
    for (int id = 0; id < 2_000; id++) {
      digests.add(Arrays.hashCode(prompt(0, 512, id).toArray()));
    }
    assertThat(digests).hasSize(2_000);
  }

  @Test
  void shouldRefuseEmptyBlocks() {
    assertThatThrownBy(() -> PromptTokens.of(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("traceBlockSize must be positive: traceBlockSize=0");
  }
}
