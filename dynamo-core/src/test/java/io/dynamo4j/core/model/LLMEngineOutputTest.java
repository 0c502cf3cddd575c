// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LLMEngineOutputTest {
  private final LLMEngineOutput item =
      LLMEngineOutput.of(TokenSlice.of(5, 6, 7)).withIndex(1).withText("abc");

  @Test
  void shouldKeepTheRestWhenOnePartIsAdded() {
    LLMEngineOutput full =
        item.withUsage(CompletionUsage.of(4, 3))
            .withLogProbs(-6, -1, -2, -3)
            .withAnnotation("event", "value");

    assertThat(full.tokenIds()).isEqualTo(TokenSlice.of(5, 6, 7));
    assertThat(full.index()).isEqualTo(1);
    assertThat(full.text()).isEqualTo("abc");
    assertThat(full.usage()).isEqualTo(CompletionUsage.of(4, 3));
    assertThat(full.logProbs()).containsExactly(-1, -2, -3);
    assertThat(full.cumLogProbs()).isEqualTo(-6);
    assertThat(full.annotationEvent()).isEqualTo("event");
    assertThat(full.annotationValue()).isEqualTo("value");
  }

  @Test
  void shouldTellNothingThatWasNotAdded() {
    assertThat(item.usage()).isNull();
    assertThat(item.logProbs()).isEmpty();
    assertThat(item.cumLogProbs()).isNaN();
    assertThat(item.annotationEvent()).isNull();
  }

  @Test
  void shouldKeepWhatAPrefillHandsOverWhenOtherPartsAreAddedOrCut() {
    Map<String, Object> params = Map.of("kv", "P1");
    LLMEngineOutput item =
        LLMEngineOutput.last(TokenSlice.of(97), FinishReason.LENGTH)
            .withDisaggregatedParams(params)
            .withUsage(new CompletionUsage(1, 1, 0))
            .withLogProbs(-1, -1)
            .withAnnotation("event", "value");

    assertThat(item.disaggregatedParams()).isEqualTo(params);
    assertThat(item.cut(0, FinishReason.STOP).disaggregatedParams()).isEqualTo(params);
    assertThat(LLMEngineOutput.of(TokenSlice.of(97)).disaggregatedParams()).isNull();
  }

  @Test
  void shouldCutWhatBelongsToTheTokensThatGo() {
    LLMEngineOutput cut =
        item.withUsage(CompletionUsage.of(4, 3))
            .withLogProbs(-16, -1, -2, -3)
            .cut(1, FinishReason.LENGTH);

    assertThat(cut.tokenIds()).isEqualTo(TokenSlice.of(5));
    assertThat(cut.logProbs()).containsExactly(-1);
    assertThat(cut.cumLogProbs()).isCloseTo(-11, Offset.offset(1e-9));
    assertThat(cut.usage()).isNull();
    assertThat(cut.text()).isNull();
    assertThat(cut.index()).isEqualTo(1);
    assertThat(cut.finishReason()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void shouldRefuseLogProbsOfOtherTokens() {
    assertThatThrownBy(() -> item.withLogProbs(-1, -1, -2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tokens=3, logProbs=2");
  }

  @Test
  void shouldCountReplayedTokensAsAnswerWhenUsageIsRebased() {
    assertThat(new CompletionUsage(8, 5, 7).rebased(3)).isEqualTo(new CompletionUsage(5, 8, 5));
    assertThat(CompletionUsage.of(8, 5).rebased(3)).isEqualTo(CompletionUsage.of(5, 8));
    assertThat(CompletionUsage.of(5, 8).totalTokens()).isEqualTo(13);
  }

  @Test
  void shouldRefuseNegativeCounts() {
    assertThatThrownBy(() -> CompletionUsage.of(-1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("promptTokens=-1");
  }
}
