// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.token.TokenSlice;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GenerateItemHandoverTest {

  private static LLMEngineOutput back(LLMEngineOutput output) {
    byte[] bytes = GenerateItemCodec.encode(output);
    return GenerateItemCodec.decode(bytes, 0, bytes.length);
  }

  @Test
  void shouldCarryWhatAPrefillHandsOverUnread() {
    Map<String, Object> params =
        Map.of("kv", "P1", "blocks", List.of(1L, 2L), "remote", Map.of("port", 7L, "tls", true));

    LLMEngineOutput item =
        back(
            LLMEngineOutput.last(TokenSlice.of(97), FinishReason.LENGTH)
                .withDisaggregatedParams(params));

    assertThat(item.disaggregatedParams()).isEqualTo(params);
    assertThat(item.finishReason()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void shouldHandNothingOverWhereNothingWasGiven() {
    assertThat(back(LLMEngineOutput.of(TokenSlice.of(97))).disaggregatedParams()).isNull();
  }
}
